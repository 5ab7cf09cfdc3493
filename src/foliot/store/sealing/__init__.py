"""Encryption of definitions at rest.

keyring      seals and opens values: AES-256-GCM under the newest of several keys
rotation     recognises a wrong key when a database is opened, and seals rows with the newest key
sealed_rows  the sealed values of a database, and which of them some keys do not open
"""
