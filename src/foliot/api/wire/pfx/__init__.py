"""Client certificates in PFX files, as clients send them.

certificate  client certificates: a PFX file in base64, and what can be told of it without its key
cost         what it costs to open a PFX file, as far as the file itself tells before any key is
             derived
open_pfx     opening a PFX file in a process of its own, which may take so much time and no more
"""
