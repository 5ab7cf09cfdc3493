"""The charts of the portal.

last_hour   counts attempts and start delays in each minute of the last hour
svg         draws the charts as SVG
week_hours  counts the scheduled runs in each hour of the next seven days
"""
