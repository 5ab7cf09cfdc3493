"""The forms: their fields, what they bring, and what is wrong with it.

collection   the form of a collection
conflict     two people changed the same thing: what each of them wants, and a form that has both
fields       forms and JSON as two views of the same thing
first_start  the start that the form gives a job which runs at chosen days or times and has none
job          the form of a job: a field for everything the API can express
job_read     what a form of a job asks for, or all that is wrong with it
job_rules    what the form of a job refuses although the API takes it
json_path    values in JSON by the place they stand at: names with a dot between them
labels       the labels of form fields, from the titles of the tables in api/wire
posted       what a form brings: names with their values, in the order of the page
problems     everything that is wrong with a form, at once
"""
