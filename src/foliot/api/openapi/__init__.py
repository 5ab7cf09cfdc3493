"""The description of the API.

document  the API described as an OpenAPI 3.1 document, made from the table of routes and the
          schemas
page      the description of the API as a page to read: plain HTML, nothing to load, nothing to run
schemas   the shapes of requests and answers as JSON Schema, made from the values that the wire
          reads
"""
