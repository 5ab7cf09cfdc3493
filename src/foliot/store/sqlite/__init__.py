"""The store on SQLite: one file, one thread that writes.

backup             copies a database while it is in use, and checks a copy
connection         connections to a database file, and transactions on them
dialect            SQLite's way to run the shared statements
disk               whether the file system is read-only or full
errors             SQLite's errors in words
export             reads whole tables, for a copy of the database
file_watch         notices that files were removed or replaced while this process has them open
inspection         looks at a database without changing it
migrate            brings a database to the schema of this version
moved_to_postgres  marks a database that was moved to PostgreSQL, so that no server starts on it by
                   mistake
multi_row          many rows in one statement
owner              the process that owns a database file, and whether it is alive
reader             views on a connection of their own
reading            keeps jobs and collections that were read until the database changes
store              the store: its three threads, and how it is opened
writer             group commit: changes that wait together share one flush
"""
