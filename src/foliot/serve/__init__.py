"""The composition root: puts the parts of a server together and takes them down again.

address_file    the file that tells commands on this machine where the server listens
banner          the start-up text of a server: where it listens, where its data is, how to sign in
data_dir        the data directory: made private, and locked so that one process uses it
descriptors     raises the limit of file descriptors, and lowers the slots where they are too few
engine          runs the engine of a server, with what it needs: slots, a dispatcher, a janitor
first_token     the Owner token that a server creates on its first start, and the file that holds it
heartbeat       writes this node's row in the store, and warns of a clock that is off
lifecycle_log   log lines about the life of a server: it starts, is told to stop, has stopped
main            runs a server: opens its parts, and closes them in reverse order
metrics/        the metrics of a server, for Prometheus
open_store      opens the store that the settings name, for the server and for other commands
otel_spans      spans of runs and attempts, exported over OTLP
portal          the portal of a server: its context, its facts, and the one-time code to sign in
process_setup   set-up of every process of a server: logging and garbage collection
progress        progress of what takes longer than two seconds, on a terminal
server_tls      the server's TLS: files that the operator gives, or a certificate of its own
settings/       the settings: one table that parser, help, Settings page and reference page share
tracing         tracing of a server, if it is on
worker_main     the worker process, which sends the requests of actions
worker_process  starts and ends the worker process
"""
