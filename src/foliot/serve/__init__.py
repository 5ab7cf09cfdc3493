"""The composition root: puts the parts of a server together and takes them down again.

run         all of it, in order
data_dir    who owns the data directory
storage     opens the database
tls         the certificate, and authority, who signs it
listen      the socket
sign_in     the Owner token a server begins with
web         the web server around the application, and protocol, what it reads
greeting    what is said when all of them are ready
errors      why it cannot start
"""
