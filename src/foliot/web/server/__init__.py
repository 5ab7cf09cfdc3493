"""The web server: connections, requests within limits, TLS.

accept                 takes connections from the socket the server listens on, as many as there may
                       be
certificate_authority  A certificate authority of one's own, and the certificates it signs
connection_limits      how many connections there may be: of one address, and in all
lingering_transport    the way out of a connection: it ends late enough for the last answer to
                       arrive
listen                 the socket a server listens on, bound before anything else so that a refusal
                       is clear
protocol               HTTP on the wire: requests are read one at a time, each within limits
refusals               answers to what is not a request, made without the application
request_head           the head of a request: it must be readable in one way only
run                    the web server around the application: signals, shutdown, TLS
tls                    the certificate a server shows: the operator's own, or one made in the data
                       directory
"""
