"""Commands about the server of this machine.

ping  `foliot ping`: tells whether the server answers, for probes
"""
