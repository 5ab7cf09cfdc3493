"""The wire format: JSON as clients of the Azure Scheduler API write it, to values and back.

action          `action`, with its error action: what a job does
authentication  `authentication` of a request: its `type` says which fields it has
clients         the client libraries of the old service, and what each can read
cluster_nodes   nodes as JSON: Foliot's own, since the old service had none to show
collection      job collections, as resources
duration        durations as clients write them: ISO 8601, or hours and minutes as .NET has them
envelope        what all resources share: an identity, and `properties`
field_types     the types of fields that several objects have: text, secrets, words, numbers, times
expectation     `expect` of a request: which responses are a success
fields          JSON objects as tables of fields, from which they are read, written and described
http            the request of an HTTP action
job             jobs and their history, as resources
json_reader     reads JSON that anyone may have written: every refusal names the path and the value
merge           PATCH: merges objects, replaces lists, removes what is null
message         messages for storage queues and for service bus queues and topics
pfx/            client certificates in PFX files, as clients send them
policy          `policy` of a job: how its runs are made
properties      the properties of a JSON object: found in any letter case, unknown ones refused
regions         Azure's region codes and the names Azure shows for them
retry_policy    `retryPolicy`: whether, how soon and how often a failed attempt is repeated
schedule        `startTime` and `recurrence`: when a job runs
scope           the scope of a token as text: the path of a subscription, a group or a collection
"""
