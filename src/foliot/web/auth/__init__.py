"""Authentication: tokens, sessions, forged forms, and the login throttle.

bearer_tokens   authentication by bearer token: lookup by digest, a short cache, and the login
                throttle
cookies         the cookies of the portal: their names, and how they are read and set
csrf            protection against forged forms: the origin of the request, and a token in every
                form
loopback        authentication switched off: every program of this machine is Owner, no web page is
one_time_code   a sign-in code that works once, for a link that a server on this machine prints
sessions        sessions: encrypted cookies that name the token they began with, so that any node
                reads them
signed_in_user  the visitor of a page: the holder of the token that the browser's session began with
throttle        the login throttle: delays answers to an address that keeps sending bad credentials
"""
