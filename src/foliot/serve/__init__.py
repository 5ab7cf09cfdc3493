"""The composition root: puts the parts of a server together and takes them down again.

banner          what a server says when it is ready: where it listens, where its data is, how to
                sign in
data_dir        the data directory: who may read it, and which process it belongs to
descriptors     how many descriptors there are, and for how many attempts at a time they are enough
engine          the engine of a server: made with it, and ended after its last answer
first_token     the Owner token that a server creates on its first start, and the file that holds it
heartbeat       tells the other nodes that this one is there, and the operator that its clock is
                wrong
histogram       histograms of durations, counted in ticks
lifecycle_log   log lines about the life of a server: it starts, is told to stop, has stopped
main            runs a server: what is opened first is closed last
metrics         what the server tells Prometheus: `docs/reference/metrics.md` says what each figure
                means
open_store      opens the store that settings name, for the server and for commands beside it
portal          the portal of a server, put before its API
process_setup   what every process of a server does alike
settings        what an operator can set: read once, from options and the environment, into one
                value
worker_process  the process that sends requests: how it is started, and what it does
"""
