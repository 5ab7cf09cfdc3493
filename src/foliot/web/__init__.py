"""What the API and the portal share, and the web server under them.

application  the web application: finds the route of each request and lets the API or the portal
             answer
auth/        authentication: tokens, sessions, forged forms, and the login throttle
body         reads the body of a request, within limits
compression  compresses a response where the client accepts it and it is worth the work
headers      looks up a request's headers in its scope
proxies      the address of the client and the URL it called, also through proxies
request_log  gives every request an id, and logs it at debug when it has been answered
routing      routes: which addresses there are, who may ask for them, and how a request finds its
             own
server/      the web server: connections, requests within limits, TLS
"""
