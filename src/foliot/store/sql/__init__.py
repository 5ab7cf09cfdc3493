"""What both databases share: statements by name, rows to values and back.

dashboard       the port's readings for those who watch, as named queries on a connection
database        what is expected of a database, so that the statements of `queries.sql` can run on
                it
engine_changes  what the engine plans, claims and settles, as named queries on a connection
multi_row       many rows in one statement
queries         the SQL, by name: each statement of `queries.sql` as a field
reading         the port's readings, as named queries on a connection
rows            rows to values and back
run_rows        rows to runs and back, and to what is due, in its job and its collection
transaction     the port's changes, as named queries on a connection
"""
