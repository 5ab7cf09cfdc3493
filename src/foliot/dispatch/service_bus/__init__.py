"""Sends messages to service bus queues and topics.

amqp_connection    opens an AMQP connection to an address that has passed the egress rules
amqp_failures      translates errors of Microsoft's client into the words of history
amqp_frame_limits  limits the bytes that a peer can make Microsoft's client allocate
amqp_message       builds an AMQP message
amqp_pool          keeps one AMQP connection for each queue or topic, and sends in batches
https              sends a message over HTTPS
message            the properties of a message, for both protocols
send               the dispatcher: chooses the protocol and sends
"""
