"""The wire format: JSON as clients of the Azure Scheduler API write it, to values and back.

action       the part of a job that says what it does: `action`, with its error action and retry
             policy
collection   job collections, as resources
duration     lengths of time as clients write them: ISO 8601, or hours and minutes as .NET has them
envelope     what all resources share: an identity, and `properties` that hold what they are made of
http         the request of an HTTP action, and how it authenticates
job          jobs and their history, as resources
json_reader  reading JSON that anyone may have written: every refusal names the place and the value
merge        PATCH: what is left out is kept, null removes, lists are replaced, objects are merged
message      messages for storage queues and for service bus queues and topics
node         nodes as JSON: Foliot's own, since the old service had none to show
pfx/         client certificates in PFX files, as clients send them
properties   the properties of a JSON object that anyone may have written, and which of them are
             known
regions      where a collection says it is: Azure's region codes come back as the names Azure shows
schedule     the part of a job that says when it runs: `startTime` and `recurrence`
"""
