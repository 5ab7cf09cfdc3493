"""The pure core: values and decisions. No I/O, no clock, no randomness, no logging."""
