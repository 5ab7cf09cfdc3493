"""Commands that talk to a server, over the package `client`.

alert_saving  `foliot alert create` and `update`
alerts        `foliot alert list`, `show`, `delete`, `enable`, `disable` and `test`
audit         `foliot audit`: who changed what, and when
calendars     `foliot calendar`: lists, imports and deletes calendars of days off
collections   `foliot collection`: lists, creates, changes and deletes collections
command       makes a function a command that talks to a server, with the options that all have
exit_codes    what such a command exits with
fields        what tables show of the answers of a server
job_history   `foliot job history` and `why`: what was done, and why something was not
job_inputs    reads what options of a job name: files, standard input, passwords
job_running   `foliot job run`, `test`, `redrive`, `backfill`, `retry` and `cancel`
job_saving    `foliot job create` and `update`
job_table     the table of options that describe a job
jobs          `foliot job list`, `show`, `next`, `enable`, `disable`, `delete` and `export`
login         `foliot login` and `logout`: saves a server and its token
narrow_table  which columns of a table fit a terminal, and which stand below their row
output        what a command prints: tables, JSON, JSON lines and YAML
previews      the sentence of a job and its next runs
printable     text from a server, safe for a terminal
profile_file  the saved profile
reference     writes docs/reference/command-line.md
runs          `foliot runs` and `failures`: runs of all collections
terminal      what only a terminal gets: tables that fit its width, colours, a sign of progress
waiting       waits for a run to end, and for new entries of history
"""
