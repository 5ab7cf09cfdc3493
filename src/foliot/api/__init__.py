"""The HTTP API of Azure Scheduler.

app          the HTTP API: what happens to every call on its way through it
call         one call of the API: who makes it, what it names, what it brings along
collections  job collections, and the calls that old clients make before they get to them
errors       how each refusal is answered: one table from exceptions to status and code
jobs         jobs and their history
openapi/     the description of the API
paging       listings: $top, $skip, $filter, and links that go on where a page ended
responses    sends what a call gets, with the headers that every answer has
routes       the table of routes: which handler answers which address and method, and for whom
wire/        the wire format: JSON as clients of the Azure Scheduler API write it, to values and
             back
"""
