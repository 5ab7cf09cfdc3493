"""Attempts over HTTP, through libcurl.

attempt           requests to HTTP targets: one attempt, all its redirects, one outcome
client            sends requests: lines that are used again, egress rules, deadlines
curl_handle       libcurl's handles
curl_multi        drives libcurl's transfers from the event loop: no thread for a request, and no
                  polling
history_messages  what history says about an HTTP attempt: clients of the old service parse the
                  beginnings
http_settings     what an operator can set about HTTP actions, readable without loading libcurl
outgoing_request  one request as it goes out: from a job's definition, or from an answer that leads
                  elsewhere
redirects         follows where answers lead, one checked request at a time
response          what a target answered, and what it may ask for with it
socket_events     tells which of libcurl's sockets are ready
target_uri        where a request goes: a URI taken apart, so that everyone who looks at it sees the
                  same place
"""
