"""How requests authenticate.

certificates             client certificates, opened once and kept: opening one may take seconds of
                         a processor
oauth                    tokens of Azure Active Directory: one for many jobs, kept until shortly
                         before it ends
open_certificate         opens a PFX file, in a process of its own: a key derivation stops a whole
                         interpreter
request_auth             how requests prove who sends them
shared_access_signature  shared access signatures: those of storage come with the job, those of
                         service bus are made
"""
