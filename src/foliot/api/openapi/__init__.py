"""The description of the API.

document          the OpenAPI 3.1 document, made from the table of routes and the schemas
error_codes       writes the reference of errors from the table of errors
page              the document as a page to read: plain HTML that loads nothing and runs nothing
query_parameters  the parameters of each operation in the query of its address
reference         writes the reference of operations and shapes from the document
schemas           the JSON Schemas of requests and answers, from the tables of fields of the wire
"""
