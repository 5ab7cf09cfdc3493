"""Which addresses actions may reach, and how names become addresses.

addresses    internet addresses, seen through the spellings and wrappings they may come in
parse_rules  reads the egress rules as an operator writes them
resolver     resolves names in threads, so that names that hang take no thread from names that
             answer
rules        where actions may go
"""
