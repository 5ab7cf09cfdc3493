"""The charts of the portal.

lanes            draws the lanes of the timeline as SVG
last_hour        counts attempts and start delays in each minute of the last hour
policy_pictures  draws what each policy of a job does, as small timelines
svg              draws the other charts as SVG
time_cells       cuts a day or a week of the viewer's time zone into cells
timing_bars      cuts the time of a request into its steps, and draws them
"""
