"""What use cases and engine are given: protocols with their contracts, and what all parts share.

alert_sender   sends the messages of alerts
clock          tells the time; the one place that reads the machine's clock
dispatch       carries out actions
health         what keeps this node from working
logs           the log: each line is an event in a few words, with its values as fields
metrics        hears what the engine does
private_files  writes files that only their owner may read
random_ids     ids that nobody else has made
store/         the store as small protocols, with their contracts
tracing        hears of attempts and runs, and tells targets of them
"""
