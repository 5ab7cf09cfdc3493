"""The forms of the portal: fields, labels, reading, validation, conflicts.

alert        the fields of the alert form, and what they become in the body of a PUT
collection   the fields of the collection form, and the reading of a new collection
conflict     two users changed the same job or collection: merges the form, shows both values
fields       converts a JSON body to the values of a form, and a posted form back to JSON
first_start  the default start time of a job with a schedule of days or times
job          the fields of the job form
job_read     reads a posted job form: the job it describes, or all problems
job_rules    checks that only the job form makes
json_path    reads and writes values in JSON by path
labels       the labels of form fields, from the titles of the tables in api/wire
posted       parses a posted form or a query string
problems     collects all problems of a form at once
"""
