"""The HTTP API of Azure Scheduler.

alerts           alerts of a collection: who is told what about its jobs
app              the API: authenticates, authorizes and answers each of its requests
audit            the audit log: its entries by filters, and one of them whole
calendars        calendars of a collection
call             one call of the API and its response: what a handler takes and returns
collections      job collections
contents         whole collections: saved with all that is in them, or not at all
deployments      deployments of templates
errors           error responses: one table from exceptions to status and code
job_tests        tests of jobs: one attempt at once, of which only the audit log tells
jobs             jobs and their history
occurrences      the planned times of a job: its ledger, redrives, backfills, retries, cancellations
openapi/         the description of the API
paging           listings: $top, $skip, $filter, and the link to the next page
previews         previews: when a job would run, and what a save would refuse
providers        resource providers: ours, and those that clients register without need
query_values     values in the query of an address
references       the resources that a template refers to, for the thread that evaluates it
resource_groups  resource groups, and the resources in them
responses        sends an API response, with the headers that every response has
routes           the routes of the API: which handler answers which address and method, and for whom
runs             runs: of a job, of a collection, of a subscription
status           pages about the server itself: its health, metrics, nodes, and the description of
                 the API
subscriptions    subscriptions, tenants and regions: what clients ask for before anything else
wire/            the wire format: JSON as clients of the Azure Scheduler API write it, to values and
                 back
"""
