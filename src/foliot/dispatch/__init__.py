"""Carries out actions: one attempt in, one outcome out, never an exception.

auth/            how requests authenticate
egress/          which addresses actions may reach, and how names become addresses
http/            attempts over HTTP, through libcurl
local_shortage   tells a lack of resources on our side from a failure of a target
queue_endpoints  where storage accounts and service bus namespaces are
queue_outcomes   how messages for queues and topics fare: clients of the old service parse the
                 beginnings
redaction        hides in what a target has said what the job has sent it in confidence
router           hands each action to whoever carries out its kind
service_bus/     messages to service bus queues and topics
storage_queue    messages to storage queues, over the service's REST interface
worker/          the worker process that sends requests: its client, its server, and what they say
                 to each other
"""
