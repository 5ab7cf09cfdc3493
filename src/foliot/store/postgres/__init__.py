"""Everything that is kept, in PostgreSQL, for any number of nodes.

arrays            many rows as one array for each column, in PostgreSQL's own notation
clock_offset      how far this machine's clock is from the database's
commit_status     whether a commit that was not answered has happened
connection        A connection that comes back by itself, and transactions on it
copy_from_sqlite  moves all that SQLite holds into an empty PostgreSQL, as it is: ids and seals are
                  kept
due_window        from which moment on the database looks for what is due
errors            what is wrong with a database, in words that quote neither SQL nor data nor a
                  password
migrate           brings a database to the schema this version knows: nodes that start together do
                  it once
nul_text          texts that PostgreSQL keeps: it takes no NUL, and a stranger's answer may have one
partitions        history by the week: a partition is made weeks ahead, and dropped when all of it
                  is old
reader            views beside the writer: a thread with a connection of its own
reading           what differs from SQLite in a view
statements        the SQL: that of SQLite in PostgreSQL's notation, with what differs in its place
store             postgreSQL: a connection that writes, one that looks things up, one that browses
transaction       what differs from SQLite in a transaction, because others write at the same time
writer            changes that wait together share one commit, as on SQLite; others write at the
                  same time
"""

from foliot.store.postgres.store import PostgresStore

__all__ = ["PostgresStore"]
