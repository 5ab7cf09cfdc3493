"""Jobs in files: makes a server match them, and writes them from a server.

alerts             alerts in files: decoded, and compared with those of a server
alerts_out         alerts of a server as they are exported
apply_plan         makes the changes of a plan
changes            changes of a plan: what happens to a thing, and which of its fields differ
commands           `foliot apply`, `foliot diff` and `foliot export`
current            what a server has of the collections that files name
decoded_files      what files want, decoded as the API does
exported           collections of a server as documents that `apply` reads
masking            what a plan shows of values that may be secrets
plan               what has to change so that a server matches files
plan_text          a plan in lines for people, and as JSON
reading            reads files, and the values of their placeholders
run_apply          runs `apply` and `diff`
run_export         runs `export`
templates_out      collections of a server as a template that a deployment reads
upcoming           the next runs of jobs before and after a change
"""
