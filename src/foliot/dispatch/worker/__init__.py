"""The worker process, which sends the requests of actions, and its client in the server.

client          sends attempts to the worker, restarts it when needed, and returns outcomes
connection      the connection to one worker process
crash_suspects  finds the request that crashes the worker, while other requests go on
framing         splits a stream between two processes into messages
launcher        what the client needs of whoever starts workers, and how long it waits for them
protocol        the messages between client and worker, as msgpack
server          makes attempts in the worker process
"""
