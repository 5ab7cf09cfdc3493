"""Sends requests over HTTP, through libcurl.

attempt           makes one attempt at an HTTP action: authentication, redirects, outcome
client            sends a request: egress rules, name resolution, deadline, idle handles
curl_command      writes a request as a command line with curl
curl_handle       one libcurl handle: its options, its response, the check of its sockets
curl_multi        drives libcurl's multi interface from the event loop
history_messages  what history says about an HTTP attempt, in the words of the old service
http_settings     the settings of HTTP actions, readable without loading libcurl
outgoing_request  builds a request from a job's definition, or from a redirect
redirects         follows redirects, each of them checked
request_outline   a request without its secrets: each of them is a named placeholder
response          a target's response, and for how long it asks to wait
shown_request     writes a request as it is shown, without secrets
socket_events     reports which of libcurl's sockets are ready
start_pacing      begins transfers at a pace: in a burst, one mostly when another has ended
target_uri        parses a URI once, so that all who look at it see the same target
"""
