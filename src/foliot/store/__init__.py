"""The store: everything that is kept, in SQLite or PostgreSQL.

errors      what is wrong with a database or its keys, in words for the operator
postgres/   everything that is kept, in PostgreSQL, for any number of nodes
sealing/    encryption of definitions at rest
sql/        what both databases share: statements by name, rows to values and back
sqlite/     the store on SQLite: one file, one thread that writes
work_queue  requests on their way from event loops to threads, and their answers back
"""
