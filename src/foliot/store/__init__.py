"""Everything that is kept, in SQLite.

sqlite          the store: one thread that writes, two that read
writer          changes that wait together share one flush
reader          views beside the writer
connection      connections to a file, and transactions on them
inbox           requests on their way from event loops to threads, and their answers back
reading         the port's readings as named queries on a connection
engine_changes  what the engine plans, claims and settles, likewise
transaction     all other changes, likewise
queries         the SQL, by name
rows            rows to values and back
run_rows        rows to runs and what is due, and back
seal            definitions are encrypted at rest
rotation        recognises a wrong key, and moves to a new one
migrate         brings a database to the schema this version knows
database        what is expected of any database
moved           marks a database that was moved to PostgreSQL
in_place        notices that files were removed or replaced
errors          what is wrong with a database or its keys
"""

from foliot.store.errors import InvalidKeys, NewerSchema, StoreError, WrongKey
from foliot.store.sealing.keyring import Keyring, load_keyring
from foliot.store.sqlite.store import SqliteStore

__all__ = [
    "InvalidKeys",
    "Keyring",
    "NewerSchema",
    "SqliteStore",
    "StoreError",
    "WrongKey",
    "load_keyring",
]
