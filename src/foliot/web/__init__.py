"""What the API and the portal share, and the web server under them.

auth/        who calls: tokens, sessions, and how guesses are slowed down
body         reads the body of a request, within limits
compression  compresses what is sent, where the client asks for it and it is worth the work
headers      the headers of a request, looked up where they lie: most requests ask for five of them
             once
proxies      who called, and by which address, also through proxies
request_log  gives every request an id, and logs it at debug when it has been answered
routing      finding what an address means: its fixed parts in any letter case, its names as they
             are
server/      the web server: connections, requests within limits, TLS
"""
