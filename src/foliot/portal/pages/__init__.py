"""The pages of the portal, one module for each subject.

about                  the pages About and Settings
alert_form             the form of an alert: create and edit
alerts                 alerts of a collection: list, show, test, enable, disable, delete
all_alerts             the list of all alerts across collections
all_jobs               the list of all jobs across collections
attempt                one attempt of a job: request, response, timing; run it again
audit                  the audit log: who changed what, and one entry of it
changes                the tab Changes of a job and of a collection
collection_access      the tokens that reach a collection: list, create, revoke
collection_properties  the names and settings of a collection, when it was changed and by whom
collection_restore     restores plan, quota and tags of a former version of a collection
collection_state       pause and resume a collection
collections            collections: list, create, edit, delete
errors                 error pages: the reason and a link back
explain                what became of the planned times of a job around a moment
failures               failures by reason and host: rerun, mute
find                   find jobs, collections, addresses, alerts and commands
first_steps            the first steps on the overview of a new installation
job                    the pages of one job: overview, action, schedule, properties
job_code               the tab As code: curl, template, YAML
job_create             creates jobs: from the form, as a copy, in place of a deleted or ended job
job_draft              renders the job form and the JSON editor, with problems of a refused save
job_edit               changes jobs, in the form or as JSON
job_move               moves or copies a job to another collection
job_new                creates a job in a collection that is chosen, or created with the job
job_test               tests of jobs: one request, of a stored job or of a form that is not saved
job_restore            restores former versions of a job, saved or in the form
jobs                   the job list of a collection, and changes of many jobs at once
overview               the overview page: running, failed and due jobs
preview                the preview of the schedule in the job form
retries                a question about all waiting runs that match, and their retry
runs                   runs of all collections or of one job, one run; rerun, retry, cancel
shown_changes          changes of fields as pages show them: label, before, after
sign_in                sign in with a token or the one-time code; sign out
timeline               past and coming runs of a day or a week, lane by lane
token_form             lists of tokens and the form of a new one
tokens                 API tokens: list, create, revoke
"""
