"""Everything that is stored, in SQLite or in PostgreSQL.

errors      what is wrong with a database or its keys, in words for the operator
migrations  the numbered steps from one version of a schema to the next
postgres/   the store on PostgreSQL: any number of nodes share it
sealing/    encryption of definitions at rest
sql/        what both databases share: readings and changes by subject, on a dialect
sqlite/     the store on SQLite: one file, one thread that writes
threads     database threads, and a store that has three of them
work_queue  requests from event loops to database threads, and their results back
"""
