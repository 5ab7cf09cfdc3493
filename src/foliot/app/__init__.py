"""The use cases: what can be done, by whom. The API, the portal and the commands go through here.

collection_changes  how a collection changes, with all that its jobs have to say about it
dashboard           what goes on, for those who watch: the use cases that only look, each within its
                    caller's scope
lookup              finds what a caller names; what lies outside its scope is not there for it
service             the use cases: what can be done with collections and jobs, and by whom
tokens              tokens as a use case: an Owner manages those within its own scope
"""
