"""Messages to service bus queues and topics.

amqp_connection    A connection and a sender for one queue or topic, through Microsoft's client
amqp_failures      what went wrong over AMQP, in the words that history has for it
amqp_frame_limits  bounds what a peer can make Microsoft's client allocate and decode
amqp_message       A message as AMQP carries it
amqp_pool          messages to service bus over AMQP: one connection for each queue or topic, kept
                   while it is used
https              messages to service bus over HTTPS:
                   https://learn.microsoft.com/rest/api/servicebus/send-message
message            what a service bus message carries beside its text, however it travels
send               messages to service bus queues and topics: over HTTPS, or over AMQP where the job
                   says so
"""
