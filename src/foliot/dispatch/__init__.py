"""Carries out actions: `dispatch` takes one attempt and returns one outcome, never an exception.

alerts/             sends the messages of alerts: webhooks, Slack and e-mail
auth/               authenticates requests: passwords, client certificates, OAuth, signatures
egress/             decides which addresses actions may reach, and resolves names
exchange_recorder   records what the test of a job sends and receives, without secrets
http/               sends requests over HTTP, through libcurl
local_shortage      tells a lack of resources on this machine from a failure of the target
message_dispatcher  what the dispatchers of messages share: connections, endpoints, a deadline
queue_endpoints     the addresses of storage accounts and service bus namespaces
queue_outcomes      outcomes of messages to queues and topics, in the words of the old service
redaction           removes the secrets of a job from what a target answers
router              passes each action to the dispatcher of its kind
service_bus/        sends messages to service bus queues and topics
storage_queue       puts messages on storage queues
time_limit          cancels attempts that take too long
worker/             the worker process, which makes the attempts, and its client

The way of an attempt:

    AttemptRequest ─► WorkerClient ═► WorkerServer, in the worker process, and there
    AttemptRequest ─► Dispatchers
        ├► HttpDispatcher ─► authenticate ─► follow ─────►│
        │                        └─ OAuthTokens ─────────►├► Sender ─► CurlHandle ─► libcurl
        ├► StorageQueueDispatcher ───────────────────────►│     │
        └► ServiceBusDispatcher ─────────────────────────►│     │
                  └► AmqpPool ─► Microsoft's client             │
                         │                                      │
                         └─ EgressRules ────────────────────────┘
                            check the name before it is resolved,
                            and the address before the connection
"""
