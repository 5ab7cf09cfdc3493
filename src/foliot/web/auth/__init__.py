"""Who calls: tokens, sessions, and how guesses are slowed down.

cookies   which cookies are ours, and how they are written
gate      who is let in: the bearer of a token, or, on a machine of one's own, everyone there
sessions  sessions: sealed cookies that name the token they began with, so that any node knows them
throttle  makes an address wait that keeps coming with bad credentials
"""
