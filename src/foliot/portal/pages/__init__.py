"""The pages, a file for each subject.

about        what the server is and how it is set: to read, not to change
calendar     the calendar: how the runs of the coming week pile up, hour by hour
collections  collections: all of them, a new one, and what can be done with one
errors       pages for what cannot be shown or done: with a way back, and without the inside of
             anything
failures     all jobs that failed in the last 24 hours, page by page
job          A job: what it does, when, how it went, and what can be done with it
job_create   creating a job: a new one, a copy, or one in place of a job that can no longer be
             changed
job_draft    the pages on which a job is made or changed, as they are shown first and after a
             refusal
job_edit     changing a job: by the form, or as JSON; both become the body that the API takes
jobs         the jobs of a collection: found, sorted, and changed many at a time
overview     the overview: what runs, what failed, what comes; live
sign_in      signing in with a token, or with the code that a server on this machine prints
tokens       tokens: who may call, made and revoked by an Owner
"""
