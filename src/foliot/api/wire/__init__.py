"""The wire format: JSON as clients of the Azure Scheduler API write it, to values and back.

action             `action`, with its error action: what a job does
address            addresses of HTTP requests
alert              alerts of a collection, as resources
alert_destination  `sendTo` of an alert: webhooks, Slack and e-mail
alert_test         the test of an alert: the outcome of each destination
audit              entries of the audit log, as resources
audit_changes      what differs between two JSON values, by path
authentication     `authentication` of a request: its `type` says which fields it has
calendar           calendars of a collection, as resources
calendar_preview   the calendar of a body, as if the job were saved and enabled
calendar_rules     `cron`, `dst` and `exclude` of a recurrence: our own extensions of the calendar
clients            the client libraries of the old service, and what each can read
cluster_nodes      nodes as JSON: Foliot's own, since the old service had none to show
collection         job collections, as resources
contents           what a whole collection shall be and have
deployment         deployments of templates, as resources
duration           durations as clients write them: ISO 8601, or hours and minutes as .NET has them
envelope           what resources share: an identity, a location, tags, and `properties`
every_refusal      collects all refusals of a job or a form, not only the first
exchange           the test of a job: what was sent and received
expectation        `expect` of a request: which responses are a success
field_types        the types of fields that several objects have: text, secrets, numbers, times
fields             JSON objects as tables of fields, from which they are read, written and described
http               the request of an HTTP action
job                jobs and their history, as resources
json_reader        reads values of JSON: every refusal names the path and the value
kept_answers       jobs and definitions as JSON, kept for the next answer
ledger             lines of the ledger, and ranges of planned times
merge              PATCH: merges objects, replaces lists, removes what is null
message            messages for storage queues and for service bus queues and topics
pfx/               client certificates in PFX files, as clients send them
policy             `policy` of a job: how its runs are made
properties         the properties of a JSON object: found in any letter case, unknown ones refused
regions            Azure's region codes and the names Azure shows for them
resource_group     resource groups, as resources; and what they hold, as clients list it
retry_policy       `retryPolicy`: whether, how soon and how often a failed attempt is repeated
run                runs as resources: Foliot's own, since the old service had only attempts to show
schedule           `startTime` and `recurrence`: when a job runs
scope              the scope of a token as text: the path of a subscription, a group or a collection
template_parts     the resources of a template: collections and jobs to be saved
"""
