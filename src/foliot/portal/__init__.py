"""The portal: HTML pages rendered on the server.

app               finds out who visits, reads forms, and answers with pages
assets            static files; each address contains the hash of the file
attempt_view      what is shown of an attempt: headline, request, response, timing
charts/           counts and draws the charts
choice_problem    what is wrong with the collection that an address names
collection_names  display names of collections, distinct where two have the same name, and of states
commands          the commands of the find dialog
context           the use cases and settings that pages need
day_words         days and times as people say them: yesterday, saturday 03:00
failure_rows      groups of failures as pages show them
former_versions   former versions of jobs, from the audit log
formatting        formats times and numbers for pages
forms/            the forms: fields, labels, reading, validation, conflicts
job_body          the JSON of a job, as its forms and pages have it
job_filters       the filters of job lists
job_rows          the rows of job lists
missing_jobs      where a job is that is not at its address any more
open_run_lines    open runs on the page of a job
page_request      a request for a page, with the methods that answer it
pages/            the pages, one module for each subject
preview           the preview of a schedule: a sentence, the next ten runs, the days of a year
reason_first      messages of history, the reason first
responses         sends a page, with the headers that every page has
routes            the routes: pages, the sign-in form, assets
run_filters       the filters of runs and failures, read from an address
run_rows          runs as pages show them
shown_runs        the runs that a page showed before it asked
templating        renders the Jinja templates
urls              builds the addresses of pages
visible_text      escapes invisible characters in text that users and targets supply
"""
