"""The charts, drawn as SVG.

last_hour   how many attempts ended in each minute of the last hour, and how late they began
svg         small pictures, drawn as SVG on the server: no style of their own, so that themes fit
week_hours  how many runs each hour of the coming week has, by the clock of the viewer
"""
