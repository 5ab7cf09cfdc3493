"""Commands about the server of this machine.

backup            `foliot backup`: copies the database of a server, also while it runs
backup_key_check  checks that keys open every sealed value of a backup
backup_steps      makes a backup: copies, checks, and gives it its name
key               `foliot key`: shows the secret keys of a server and its nodes, and replaces them
key_steps         replaces the key in a data directory step by step, and reports on keys
options           options that tell which server of this machine a command is about
ping              `foliot ping`: tells whether the server answers, for probes
restore           `foliot restore`: makes a new server of a backup
restore_steps     restores a backup: checks it and its key, then writes all or nothing
"""
