"""The HTTP API of Azure Scheduler.

app          the HTTP API: the table of routes, and what happens to every call on its way through it
call         one call of the API: who makes it, what it names, what it brings along
collections  job collections, and the calls that old clients make before they get to them
errors       how each refusal is answered: one table from exceptions to status and code
exchange     reading what a call brings and sending what it gets, within limits
jobs         jobs and their history
openapi/     the description of the API
paging       listings: $top, $skip, $filter, and links that go on where a page ended
wire/        the wire format: JSON as clients of the Azure Scheduler API write it, to values and
             back
"""
