"""Authenticates requests.

certificates             opens client certificates in a process of their own, and caches them
oauth                    fetches tokens of Azure Active Directory, and caches them
open_certificate         opens a PFX file: the program that `certificates` runs
request_auth             adds credentials to a request
shared_access_signature  reads signatures of storage queues, and makes those of service bus
webhook_signature        signs requests by the rules of Standard Webhooks
"""
