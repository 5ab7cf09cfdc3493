"""The functions of the template language that depend on their arguments alone.

arrays       functions on arrays and objects
date_format  date formats of .NET
dates        functions on dates
encoding     functions that encode, decode and hash strings
formatting   `format()`: composite formats of .NET
logic        functions on numbers and booleans, and comparisons
signature    functions with the kinds of their arguments
table        all these functions, and why some of the language are refused
text         functions on strings
unique       `uniqueString()` and `guid()`
"""
