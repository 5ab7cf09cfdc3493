"""A client of the REST API, for the command line. It knows the wire, and nothing of the server.

alert_options      the options of an alert as the JSON that the API takes
calls              the calls of the API that the commands make
connection         one HTTP connection to a server, with its refusals as exceptions
durations          periods as people type them: 30s, 12h, 1h30m
errors             why a call did not succeed
every              how often a job runs, as people type it: 5m, 2 weeks, month
find_server        which server, with which token, from options, environment, profile and machine
holidays           the days of an iCalendar file
job_documents      documents with the jobs, calendars and alerts of a collection
job_files          single jobs in files: JSON or YAML, read and exported
job_options        the options of a job as the JSON that the API takes
paths              paths of the API, from names and back
placeholders       `${env:NAME}` and `${file:PATH}` in texts of jobs
probe              asks the server of a data directory how it is
retries            retries as people type them: 5x30s
typed_times        times as people type them: tomorrow 9:00, in 10m, 2026-03-01T09:00Z
"""
