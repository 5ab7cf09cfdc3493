"""The use cases: what can be done, by whom. The API, the portal and the commands go through here.

change_log          the log of changes: what was changed, by whom
collection_changes  change a collection together with all its jobs
collections         job collections: list, show, save, enable or disable, delete
dashboard           what the portal shows of many jobs at once: overview, lists, calendar, failures
deployments         deployments of templates: all of a template is saved, or nothing
history             the history of a job: its attempts
jobs                jobs: list, show, save, enable or disable, delete
listing_page        which part of a listing a caller asks for
lookup              find what a caller names; what lies outside its scope does not exist for it
nodes               nodes: their heartbeats, and the list of them
resource_groups     resource groups and subscriptions: list, show; of groups also save and delete
run_records         runs, open and ended: of a job, of a collection, of a subscription
runs                runs that a caller asks for, outside the schedule
sessions            portal sessions: sign out
template_changes    save all collections and jobs of a template in one transaction
tokens              tokens: list, create and revoke; the Owner tokens that a server starts with;
                    their last use
use_cases           all use cases over one store: what the API and the portal are given
write_and_wake      writes that may give the engine work
"""
