"""The web server: connections, requests within limits, TLS.

accept                 accepts connections on the listening socket, within the limits
certificate_authority  a local certificate authority, and the server certificates it signs
connection_limits      limits the number of open connections: of one address, and in all
lingering_transport    a transport that closes late enough for the last response to arrive
listen                 the listening socket, bound before the server starts so that an error is
                       clear
protocol               the HTTP protocol of a connection: reads one request at a time, each within
                       limits
refusals               responses to requests that are not valid HTTP, made without the application
request_head           checks the head of a request: an ambiguous one is refused
run                    runs uvicorn around the application: signals, shutdown, TLS
tls                    the server's TLS certificate: the operator's own, or one made in the data
                       directory
"""
