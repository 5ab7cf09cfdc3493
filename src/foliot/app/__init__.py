"""The use cases: what can be done, by whom. The API, the portal and the commands go through here.

alert_tests         tests of alerts: a message to each destination, of which nothing is stored
alerts              alerts of a collection: list, show, save, enable or disable, delete
audit               the audit log, for Owners
calendar_days       the days of the calendars that jobs name, in the definitions of these jobs
calendars           calendars of a collection: list, show, save, delete
change_log          the log of changes: what was changed, by whom
collection_changes  change a collection together with all its jobs
collections         job collections: list, show, save, enable or disable, delete
dashboard           what the portal shows of many jobs at once: overview, lists, calendar, failures
deployments         deployments of templates: all of a template is saved, or nothing
engine_access       the engine of this process, as the use cases see it
history             the history of a job: its attempts
job_previews        what a save of a job would find and refuse; nothing is stored
job_tests           tests of jobs: one attempt at once, of which nothing is stored
jobs                jobs: list, show, save, enable or disable, delete
ledger              the ledger of a job: what became of each planned time
listing_page        which part of a listing a caller asks for
lookup              find what a caller names; what lies outside its scope does not exist for it
nodes               nodes: their heartbeats, and the list of them
repeated_runs       runs of the past, made again: redrives and backfills
resource_groups     resource groups and subscriptions: list, show; of groups also save and delete
run_records         runs, open and ended: of a job, of a collection, of a subscription
runs                runs that a caller asks for, outside the schedule, or cancels
sessions            portal sessions: sign out
template_changes    save all collections and jobs of a template in one transaction
tokens              tokens: list, create and revoke; the Owner tokens that a server starts with;
                    their last use
use_cases           all use cases over one store: what the API and the portal are given
write_and_wake      writes that may give the engine work
"""
