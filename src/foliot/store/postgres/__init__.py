"""The store on PostgreSQL: any number of nodes share it.

arrays            many rows as one array for each column
clock_offset      how far this machine's clock is from the database's
commit_status     whether a commit that was not answered has happened
connection        a connection that reconnects by itself, and transactions on it
copy_from_sqlite  copies an SQLite database into an empty PostgreSQL database
deferring_queue   requests in order, except that those that can wait let others go first
dialect           PostgreSQL's way to run the shared statements: locks, arrays, errors
due_rows          finds due rows and locks them
due_window        the scan window: claims only look at rows due after an instant
dump              dumps and restores a database with PostgreSQL's own programs
dump_rows         reads the rows of a table in a dump
errors            PostgreSQL's errors in words
inspection        looks at a database without changing it
messages          statements that are sent together in one message
migrate           brings a database to the schema of this version
nul_text          texts with NUL characters, which PostgreSQL refuses
partitions        history partitions, one for each week
prepared          the statements that the engine runs for each occurrence, prepared
reader            views on a connection of their own
statements        the statements and the locks by name, in PostgreSQL's notation
store             the store: its three threads, and how it is opened
writer            group commit: changes that wait together share one commit
"""

from foliot.store.postgres.store import PostgresStore

__all__ = ["PostgresStore"]
