"""Encryption of definitions at rest.

keyring   encryption of what is kept: AES-256-GCM under the newest of several keys
rotation  recognises a wrong key when a database is opened, and moves its rows to the newest one
"""
