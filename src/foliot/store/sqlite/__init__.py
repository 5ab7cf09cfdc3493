"""The store on SQLite: one file, one thread that writes.

connection  connections to a database file, and transactions on them
file_watch  notices that files were removed or replaced while this process has them open
migrate     brings a database to the schema this version knows, one numbered step after the other
moved_mark  marks an SQLite database that moves to PostgreSQL, so that no server starts on it by
            mistake
reader      views beside the writer: a thread with a connection of its own
store       SQLite: one thread that writes, one that looks things up, one that goes through many
            rows
writer      changes that wait together share one flush
"""
