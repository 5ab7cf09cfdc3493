"""`python -m foliot` is `foliot`."""

from foliot.cli import app

app()
