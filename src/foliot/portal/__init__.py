"""The portal: pages made on the server, for people.

app               the portal: finds out who visits, reads forms, and answers with pages
assets            styles, scripts and pictures, from the package; an address holds the hash of what
                  it names
charts/           the charts, drawn as SVG
collection_names  what pages call collections: by name, and where that is not enough by group and
                  subscription
context           what the pages work with
formatting        times and numbers as pages show them; a script puts times into the viewer's own
                  zone
forms/            the forms: their fields, what they bring, and what is wrong with it
page_request      one visit to a page: who comes, what they ask for, how they are answered
pages/            the pages, a file for each subject
preview           when a job will run, as people see it: in words, the next ten times, the days of a
                  year
responses         sends a page, with the headers that every page has
routes            the routes of the portal: its pages, the form to sign in, and the assets
templating        the templates: everything is escaped, and a name that is missing is an error
urls              the addresses of pages
visible_text      texts of others as pages show them: what a reader could not see is written out
"""
