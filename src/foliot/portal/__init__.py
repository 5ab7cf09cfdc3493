"""The portal: HTML pages rendered on the server.

app               the portal before the API: what happens to every request
assets            static files; each address contains the hash of the file
charts/           counts and draws the charts
collection_names  display names of collections, distinct where two have the same name
context           the use cases and settings that pages need
formatting        formats times and numbers for pages
forms/            the forms: fields, labels, reading, validation, conflicts
guard             who visits, and whether a form is one of ours
page_request      a request for a page, with the methods that answer it
pages/            the pages, one module for each subject
preview           the preview of a schedule: a sentence, the next ten runs, the days of a year
routes            the routes: each path with its pages
templating        renders the Jinja templates
urls              builds the addresses of pages
visible_text      escapes invisible characters in text that users and targets supply
"""
