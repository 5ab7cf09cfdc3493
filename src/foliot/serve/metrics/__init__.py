"""The metrics of a server, for Prometheus: `docs/reference/metrics.md` describes each of them.

by_collection     counters and histograms of each collection, up to a number of collections
collection_text   the metrics of collections, as text
collector         counts what the engine does, and exports all metrics
histogram         histograms of durations, counted in ticks
job_figures       figures about jobs, read from the store in pages and cached
"""

from foliot.serve.metrics.collector import Metrics

__all__ = ["Metrics"]
