"""The worker process that sends requests: its client, its server, and what they say to each other.

client          hands errands to an outpost, watches it, and brings the outcomes back
crash_suspects  finds the request at which processes end, without holding up or failing the others
framing         messages on a stream between two processes: how many bytes there are, then those
                bytes
server          where attempts are made in a process of their own, and what is said on the way there
                and back
"""
