"""Client certificates in PFX files, as clients send them.

certificate   a PFX file in base64, and its thumbprint, expiry and subject
cost          the cost of opening a PFX file, as far as the file shows before any key is derived
open_pfx      opens a PFX file in a process of its own with a limit on its CPU time
subject_name  the subject of a certificate as text, as .NET writes it
"""
