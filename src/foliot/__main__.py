"""`python -m foliot` is `foliot`."""

from foliot.cli.entry import main

main()
