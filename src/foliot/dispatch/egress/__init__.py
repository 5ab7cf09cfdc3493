"""Decides which addresses actions may reach, and resolves names.

addresses    reads addresses in all their spellings, and finds addresses inside others
parse_rules  reads the egress rules as an operator writes them
resolver     resolves names in threads, without letting slow names block quick ones
rules        decides whether a destination is allowed
"""
