"""The use cases, one file per subject: the API, the portal and the commands all go through here.

Nothing but these modules and the engine writes to the store.

collection_changes  change a collection together with all its jobs
collections         job collections: list, show, save, enable or disable, delete
dashboard           what the portal shows of many jobs at once: overview, calendar, failures
history             the attempts of a job
jobs                jobs: list, show, save, enable or disable, delete
lookup              find what a caller names, within its scope
nodes               node heartbeats, and the list of nodes
page                which part of a listing a caller asks for
runs                run a job now
sessions            sign out of the portal
tokens              tokens: list, create, revoke; first Owner tokens; last use
use_cases           all of these over one store, as the API and the portal get them
write_and_wake      write a change, then wake the engine
"""
