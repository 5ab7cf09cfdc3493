"""`foliot doctor`: looks for what keeps a server from working, and says what to do.

client_certificates  the client certificates that jobs sign in with, and jobs that do not open
command              the command: runs all checks and prints what they have found
database             the database, its clock, its nodes, and the keys that fit
finding              what a check has found: ok, a warning or a problem
machine              the configuration, the data directory, the disk, the server
network              egress rules, names, the proxy, trusted certificates
server_certificate   the server's certificate: its time, its names, its key
"""
