"""Who calls: tokens, sessions, and how guesses are slowed down.

bearer_tokens  who is let in: the bearer of a token, or, on a machine of one's own, everyone there
cookies   which cookies are ours, and how they are written
sessions  sessions: sealed cookies that name the token they began with, so that any node knows them
throttle  makes an address wait that keeps coming with bad credentials
"""
