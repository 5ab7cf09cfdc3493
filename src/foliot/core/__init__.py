"""The pure core: values and decisions. No I/O, no clock, no randomness, no logging.

access         permissions: a role says what a caller may do, a scope says where
credentials    finds and masks credentials in headers and URIs
errors         the exceptions that refuse a request, as one tree
history_parts  reads the messages of history: a response, or why there was none
history_text   messages in history, as clients of the old service parse them
ids            identifiers: keys of collections, names, and how they are checked
instant        points in time, to 100 nanoseconds
job_defaults   what applies to jobs that do not say it themselves
json_text      reads JSON text that anyone may have written, strictly
limits         limits of sizes and of retention, which an operator may change
model/         collections, jobs, runs, attempts, history and tokens, as values
near_names     finds the known name that a misspelt one may mean, for a message
networks       internet networks, and which addresses are this machine's own
plurals        nouns after a number: "1 job", "2 jobs"
recurrence/    computes when a job runs
rules/         decisions about jobs and collections, as pure functions
secret         a value that is never shown in a response, a log line, an error or a traceback
target_origin  normalizes the origin of a URI, so that requests to one server count together
yaml_text      reads YAML within limits, and writes it
"""
