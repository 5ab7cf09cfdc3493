"""Attacks real servers as outsiders would, and judges whether anyone else noticed.

attack        what an attack is, and what came of it
client        a caller with a token of its own, from an address of its own
wire          sockets that send what no client sends
bystanders    jobs of somebody else, which must stay on time and succeed
probe         requests of somebody else, which must be answered as before
memory        how much more of it the server's processes take meanwhile
certificates  PKCS#12 files that are costly to open
requests      jobs as attackers write them
job_authors, targets, endless, callers, readers, tenants, long_work, operators
              the attacks, by who makes them
report        writes docs/proof/hostile.md

Nothing here imports Foliot. All traffic stays on loopback, in a namespace of its own, and what is
slow under attack is compared with the same server a moment before.
"""
