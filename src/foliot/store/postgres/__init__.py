"""Everything that is kept, in PostgreSQL, for any number of nodes.

store        the store: one connection that writes, two that read
writer       changes that wait together share one commit
reader       views beside the writer
fate         whether a commit that was not answered has happened
session      a connection that comes back, and transactions on it
offset       how far this machine's clock is from the database's
floor        from which moment on is looked for what is due
reading      what differs from SQLite in a view
transaction  what differs from SQLite, because others write at the same time
partitions   history by the week
arrays       many rows, as PostgreSQL reads them fastest
text         texts, also with a NUL in them
statements   the SQL: SQLite's, with what differs in its place
move         everything from SQLite to here
migrate      brings a database to the schema this version knows, one node at a time
errors       what is wrong with a database, in words
"""

from foliot.store.postgres.store import PostgresStore

__all__ = ["PostgresStore"]
