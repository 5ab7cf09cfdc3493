"""What tests of several rooms share: builders, real servers and peers, clocks, targets."""
