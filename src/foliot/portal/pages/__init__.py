"""The pages of the portal, one module for each subject.

about                  the pages About and Settings
alert_form             the form of an alert: create and edit
alerts                 alerts of a collection: list, show, test, enable, disable, delete
audit                  the audit log: who changed what, and one entry of it
calendar               the calendar page: scheduled runs of the next seven days, by hour
collection_access      the tokens that reach a collection: list, create, revoke
collection_properties  the names and settings of a collection, when it was changed and by whom
collections            collections: list, create, edit, enable, disable, delete
errors                 error pages: the reason and a link back
failures               the list of jobs that failed in the last 24 hours
job                    the pages of one job: overview, action, schedule, history, properties
job_create             creates jobs: from the form, as a copy, in place of a deleted or ended job
job_draft              renders the job form and the JSON editor, with problems of a refused save
job_edit               changes jobs, in the form or as JSON
job_new                creates a job in a collection that is chosen, or created with the job
jobs                   the job list of a collection, and changes of many jobs at once
overview               the overview page: running, failed and due jobs
sign_in                sign in with a token or the one-time code; sign out
token_form             lists of tokens and the form of a new one
tokens                 API tokens: list, create, revoke
"""
