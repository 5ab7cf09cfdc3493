"""The forms of the portal: fields, labels, reading, validation, conflicts.

alert            the fields of the alert form, and what they become in the body of a PUT
collection       the fields of the collection form, and the reading of a new collection
conflict         two users changed the same job or collection: merges the form, shows both values
fields           converts a JSON body to the values of a form, and a posted form back to JSON
first_start      the default start time of a job that repeats
job              the fields of the job form
job_read         reads a posted job form: the job it describes, or all problems
job_rules        checks that only the job form makes
json_path        reads and writes values in JSON by path
labels           the labels of form fields, from the titles of the tables in api/wire
local_times      date-times in a form, in the time zone of the job
periods          lengths of time as people write them
posted           parses a posted form or a query string
problems         collects all problems of a form at once
schedule_inputs  the inputs of the schedule, and the fields that they become
schedule_read    reads the schedule in a form for its preview
secrets          secrets that a refused form loses, and secrets that a job lacks
times_of_day     times of day in a form, and hours and minutes of a schedule
zones            the time zones that a form offers
"""
