"""Schedules and the times they give: the ones the old service documented, and more.

Each row is a recurrence, the instants it must give, and the sentence that must describe it.
"""

from typing import Any, NamedTuple

EVERY_HOUR = list(range(24))


class Row(NamedTuple):
    sentence: str
    recurrence: dict[str, Any]
    times: str
    start: str = "2026-01-13T12:25:30Z"
    now: str = "2026-01-10T00:00:00Z"


ROWS = (
    Row(
        "Every day at 05:25:30 UTC",
        {"frequency": "day", "schedule": {"hours": [5]}},
        "2026-01-14T05:25:30 2026-01-15T05:25:30 2026-01-16T05:25:30 2026-01-17T05:25:30 "
        "2026-01-18T05:25:30 2026-01-19T05:25:30",
    ),
    Row(
        "Every day at 05:15 UTC",
        {"frequency": "day", "schedule": {"minutes": [15], "hours": [5]}},
        "2026-01-14T05:15:00 2026-01-15T05:15:00 2026-01-16T05:15:00 2026-01-17T05:15:00 "
        "2026-01-18T05:15:00 2026-01-19T05:15:00",
    ),
    Row(
        "Every day at 05:15 and 17:15 UTC",
        {"frequency": "day", "schedule": {"minutes": [15], "hours": [5, 17]}},
        "2026-01-13T17:15:00 2026-01-14T05:15:00 2026-01-14T17:15:00 2026-01-15T05:15:00 "
        "2026-01-15T17:15:00 2026-01-16T05:15:00",
    ),
    Row(
        "Every day at 05:15, 05:45, 17:15 and 17:45 UTC",
        {"frequency": "day", "schedule": {"minutes": [15, 45], "hours": [5, 17]}},
        "2026-01-13T17:15:00 2026-01-13T17:45:00 2026-01-14T05:15:00 2026-01-14T05:45:00 "
        "2026-01-14T17:15:00 2026-01-14T17:45:00",
    ),
    Row(
        "Every day at minutes 0, 15, 30 and 45 past every hour UTC",
        {"frequency": "day", "schedule": {"minutes": [0, 15, 30, 45]}},
        "2026-01-13T12:30:00 2026-01-13T12:45:00 2026-01-13T13:00:00 2026-01-13T13:15:00 "
        "2026-01-13T13:30:00 2026-01-13T13:45:00",
    ),
    Row(
        "Every day at minute 25:30 past every hour UTC",
        {
            "frequency": "day",
            "schedule": {"hours": EVERY_HOUR},
        },
        "2026-01-13T12:25:30 2026-01-13T13:25:30 2026-01-13T14:25:30 2026-01-13T15:25:30 "
        "2026-01-13T16:25:30 2026-01-13T17:25:30",
    ),
    Row(
        "Every week on Tuesday at minute 25:30 past every hour UTC",
        {
            "frequency": "week",
            "schedule": {"hours": EVERY_HOUR},
        },
        "2026-01-13T12:25:30 2026-01-13T13:25:30 2026-01-13T14:25:30 2026-01-13T15:25:30 "
        "2026-01-13T16:25:30 2026-01-13T17:25:30",
    ),
    Row(
        "Every month on day 13 at minute 25:30 past every hour UTC",
        {
            "frequency": "month",
            "schedule": {"hours": EVERY_HOUR},
        },
        "2026-01-13T12:25:30 2026-01-13T13:25:30 2026-01-13T14:25:30 2026-01-13T15:25:30 "
        "2026-01-13T16:25:30 2026-01-13T17:25:30",
    ),
    Row(
        "Every day at minute 0 past every hour UTC",
        {"frequency": "day", "schedule": {"minutes": [0]}},
        "2026-01-13T13:00:00 2026-01-13T14:00:00 2026-01-13T15:00:00 2026-01-13T16:00:00 "
        "2026-01-13T17:00:00 2026-01-13T18:00:00",
    ),
    Row(
        "Every week on Tuesday at minute 0 past every hour UTC",
        {"frequency": "week", "schedule": {"minutes": [0]}},
        "2026-01-13T13:00:00 2026-01-13T14:00:00 2026-01-13T15:00:00 2026-01-13T16:00:00 "
        "2026-01-13T17:00:00 2026-01-13T18:00:00",
    ),
    Row(
        "Every month on day 13 at minute 0 past every hour UTC",
        {"frequency": "month", "schedule": {"minutes": [0]}},
        "2026-01-13T13:00:00 2026-01-13T14:00:00 2026-01-13T15:00:00 2026-01-13T16:00:00 "
        "2026-01-13T17:00:00 2026-01-13T18:00:00",
    ),
    Row(
        "Every day at minute 15 past every hour UTC",
        {"frequency": "day", "schedule": {"minutes": [15]}},
        "2026-01-13T13:15:00 2026-01-13T14:15:00 2026-01-13T15:15:00 2026-01-13T16:15:00 "
        "2026-01-13T17:15:00 2026-01-13T18:15:00",
    ),
    Row(
        "Every week on Saturday at 17:25:30 UTC",
        {"frequency": "week", "schedule": {"hours": [17], "weekDays": ["saturday"]}},
        "2026-01-17T17:25:30 2026-01-24T17:25:30 2026-01-31T17:25:30 2026-02-07T17:25:30 "
        "2026-02-14T17:25:30 2026-02-21T17:25:30",
    ),
    Row(
        "Every week on Monday, Wednesday and Friday at 17:25:30 UTC",
        {
            "frequency": "week",
            "schedule": {"hours": [17], "weekDays": ["monday", "wednesday", "friday"]},
        },
        "2026-01-14T17:25:30 2026-01-16T17:25:30 2026-01-19T17:25:30 2026-01-21T17:25:30 "
        "2026-01-23T17:25:30 2026-01-26T17:25:30",
    ),
    Row(
        "Every week on Monday, Wednesday and Friday at 17:15 and 17:45 UTC",
        {
            "frequency": "week",
            "schedule": {
                "minutes": [15, 45],
                "hours": [17],
                "weekDays": ["monday", "wednesday", "friday"],
            },
        },
        "2026-01-14T17:15:00 2026-01-14T17:45:00 2026-01-16T17:15:00 2026-01-16T17:45:00 "
        "2026-01-19T17:15:00 2026-01-19T17:45:00",
    ),
    Row(
        "Every week on Monday, Wednesday and Friday at 05:25:30 and 17:25:30 UTC",
        {
            "frequency": "week",
            "schedule": {"hours": [5, 17], "weekDays": ["monday", "wednesday", "friday"]},
        },
        "2026-01-14T05:25:30 2026-01-14T17:25:30 2026-01-16T05:25:30 2026-01-16T17:25:30 "
        "2026-01-19T05:25:30 2026-01-19T17:25:30",
    ),
    Row(
        "Every week on Monday, Wednesday and Friday at 05:15, 05:45, 17:15 and 17:45 UTC",
        {
            "frequency": "week",
            "schedule": {
                "minutes": [15, 45],
                "hours": [5, 17],
                "weekDays": ["monday", "wednesday", "friday"],
            },
        },
        "2026-01-14T05:15:00 2026-01-14T05:45:00 2026-01-14T17:15:00 2026-01-14T17:45:00 "
        "2026-01-16T05:15:00 2026-01-16T05:45:00",
    ),
    Row(
        "Every week on Monday to Friday at minutes 0, 15, 30 and 45 past every hour UTC",
        {
            "frequency": "week",
            "schedule": {
                "minutes": [0, 15, 30, 45],
                "weekDays": ["monday", "tuesday", "wednesday", "thursday", "friday"],
            },
        },
        "2026-01-13T12:30:00 2026-01-13T12:45:00 2026-01-13T13:00:00 2026-01-13T13:15:00 "
        "2026-01-13T13:30:00 2026-01-13T13:45:00",
    ),
    Row(
        "Every week on Monday to Friday at minutes 0, 15, 30 and 45 past hours 9 to 16 UTC",
        {
            "frequency": "week",
            "schedule": {
                "minutes": [0, 15, 30, 45],
                "hours": [9, 10, 11, 12, 13, 14, 15, 16],
                "weekDays": ["monday", "tuesday", "wednesday", "thursday", "friday"],
            },
        },
        "2026-01-13T12:30:00 2026-01-13T12:45:00 2026-01-13T13:00:00 2026-01-13T13:15:00 "
        "2026-01-13T13:30:00 2026-01-13T13:45:00",
    ),
    Row(
        "Every week on Sunday at 12:25:30 UTC",
        {"frequency": "week", "schedule": {"weekDays": ["sunday"]}},
        "2026-01-18T12:25:30 2026-01-25T12:25:30 2026-02-01T12:25:30 2026-02-08T12:25:30 "
        "2026-02-15T12:25:30 2026-02-22T12:25:30",
    ),
    Row(
        "Every week on Tuesday and Thursday at 12:25:30 UTC",
        {"frequency": "week", "schedule": {"weekDays": ["tuesday", "thursday"]}},
        "2026-01-13T12:25:30 2026-01-15T12:25:30 2026-01-20T12:25:30 2026-01-22T12:25:30 "
        "2026-01-27T12:25:30 2026-01-29T12:25:30",
    ),
    Row(
        "Every month on day 28 at 06:00 UTC",
        {"frequency": "month", "schedule": {"minutes": [0], "hours": [6], "monthDays": [28]}},
        "2026-01-28T06:00:00 2026-02-28T06:00:00 2026-03-28T06:00:00 2026-04-28T06:00:00 "
        "2026-05-28T06:00:00 2026-06-28T06:00:00",
    ),
    Row(
        "Every month on the last day at 06:00 UTC",
        {"frequency": "month", "schedule": {"minutes": [0], "hours": [6], "monthDays": [-1]}},
        "2026-01-31T06:00:00 2026-02-28T06:00:00 2026-03-31T06:00:00 2026-04-30T06:00:00 "
        "2026-05-31T06:00:00 2026-06-30T06:00:00",
    ),
    Row(
        "Every month on day 1 and the last day at 06:00 UTC",
        {"frequency": "month", "schedule": {"minutes": [0], "hours": [6], "monthDays": [1, -1]}},
        "2026-01-31T06:00:00 2026-02-01T06:00:00 2026-02-28T06:00:00 2026-03-01T06:00:00 "
        "2026-03-31T06:00:00 2026-04-01T06:00:00",
    ),
    Row(
        "Every month on day 1 and the last day at 12:25:30 UTC",
        {"frequency": "month", "schedule": {"monthDays": [1, -1]}},
        "2026-01-31T12:25:30 2026-02-01T12:25:30 2026-02-28T12:25:30 2026-03-01T12:25:30 "
        "2026-03-31T12:25:30 2026-04-01T12:25:30",
    ),
    Row(
        "Every month on days 1 and 14 at 12:25:30 UTC",
        {"frequency": "month", "schedule": {"monthDays": [1, 14]}},
        "2026-01-14T12:25:30 2026-02-01T12:25:30 2026-02-14T12:25:30 2026-03-01T12:25:30 "
        "2026-03-14T12:25:30 2026-04-01T12:25:30",
    ),
    Row(
        "Every month on day 2 at 12:25:30 UTC",
        {"frequency": "month", "schedule": {"monthDays": [2]}},
        "2026-02-02T12:25:30 2026-03-02T12:25:30 2026-04-02T12:25:30 2026-05-02T12:25:30 "
        "2026-06-02T12:25:30 2026-07-02T12:25:30",
    ),
    Row(
        "Every month on day 31 at 12:25:30 UTC",
        {"frequency": "month", "schedule": {"monthDays": [31]}},
        "2026-01-31T12:25:30 2026-03-31T12:25:30 2026-05-31T12:25:30 2026-07-31T12:25:30 "
        "2026-08-31T12:25:30 2026-10-31T12:25:30",
    ),
    Row(
        "Every month on days 1 and 2 at 12:25:30 UTC",
        {"frequency": "month", "schedule": {"monthDays": [1, 2]}},
        "2026-02-01T12:25:30 2026-02-02T12:25:30 2026-03-01T12:25:30 2026-03-02T12:25:30 "
        "2026-04-01T12:25:30 2026-04-02T12:25:30",
    ),
    Row(
        "Every month on the first Friday at 05:00 UTC",
        {
            "frequency": "month",
            "schedule": {
                "minutes": [0],
                "hours": [5],
                "monthlyOccurrences": [{"day": "friday", "occurrence": 1}],
            },
        },
        "2026-02-06T05:00:00 2026-03-06T05:00:00 2026-04-03T05:00:00 2026-05-01T05:00:00 "
        "2026-06-05T05:00:00 2026-07-03T05:00:00",
    ),
    Row(
        "Every month on the first Friday at 12:25:30 UTC",
        {
            "frequency": "month",
            "schedule": {"monthlyOccurrences": [{"day": "friday", "occurrence": 1}]},
        },
        "2026-02-06T12:25:30 2026-03-06T12:25:30 2026-04-03T12:25:30 2026-05-01T12:25:30 "
        "2026-06-05T12:25:30 2026-07-03T12:25:30",
    ),
    Row(
        "Every month on the third-to-last Friday at 12:25:30 UTC",
        {
            "frequency": "month",
            "schedule": {"monthlyOccurrences": [{"day": "friday", "occurrence": -3}]},
        },
        "2026-01-16T12:25:30 2026-02-13T12:25:30 2026-03-13T12:25:30 2026-04-10T12:25:30 "
        "2026-05-15T12:25:30 2026-06-12T12:25:30",
    ),
    Row(
        "Every month on the first Friday and the last Friday at 05:15 UTC",
        {
            "frequency": "month",
            "schedule": {
                "minutes": [15],
                "hours": [5],
                "monthlyOccurrences": [
                    {"day": "friday", "occurrence": 1},
                    {"day": "friday", "occurrence": -1},
                ],
            },
        },
        "2026-01-30T05:15:00 2026-02-06T05:15:00 2026-02-27T05:15:00 2026-03-06T05:15:00 "
        "2026-03-27T05:15:00 2026-04-03T05:15:00",
    ),
    Row(
        "Every month on the first Friday and the last Friday at 12:25:30 UTC",
        {
            "frequency": "month",
            "schedule": {
                "monthlyOccurrences": [
                    {"day": "friday", "occurrence": 1},
                    {"day": "friday", "occurrence": -1},
                ]
            },
        },
        "2026-01-30T12:25:30 2026-02-06T12:25:30 2026-02-27T12:25:30 2026-03-06T12:25:30 "
        "2026-03-27T12:25:30 2026-04-03T12:25:30",
    ),
    Row(
        "Every month on the fifth Friday at 12:25:30 UTC",
        {
            "frequency": "month",
            "schedule": {"monthlyOccurrences": [{"day": "friday", "occurrence": 5}]},
        },
        "2026-01-30T12:25:30 2026-05-29T12:25:30 2026-07-31T12:25:30 2026-10-30T12:25:30 "
        "2027-01-29T12:25:30 2027-04-30T12:25:30",
    ),
    Row(
        "Every month on the last Friday at minutes 0, 15, 30 and 45 past every hour UTC",
        {
            "frequency": "month",
            "schedule": {
                "minutes": [0, 15, 30, 45],
                "monthlyOccurrences": [{"day": "friday", "occurrence": -1}],
            },
        },
        "2026-01-30T00:00:00 2026-01-30T00:15:00 2026-01-30T00:30:00 2026-01-30T00:45:00 "
        "2026-01-30T01:00:00 2026-01-30T01:15:00",
    ),
    Row(
        "Every month on the third Wednesday at 05:15, 05:45, 17:15 and 17:45 UTC",
        {
            "frequency": "month",
            "schedule": {
                "minutes": [15, 45],
                "hours": [5, 17],
                "monthlyOccurrences": [{"day": "wednesday", "occurrence": 3}],
            },
        },
        "2026-01-21T05:15:00 2026-01-21T05:45:00 2026-01-21T17:15:00 2026-01-21T17:45:00 "
        "2026-02-18T05:15:00 2026-02-18T05:45:00",
    ),
    Row(
        "Every month on every Sunday at 12:25:30 UTC",
        {"frequency": "month", "schedule": {"monthlyOccurrences": [{"day": "sunday"}]}},
        "2026-01-18T12:25:30 2026-01-25T12:25:30 2026-02-01T12:25:30 2026-02-08T12:25:30 "
        "2026-02-15T12:25:30 2026-02-22T12:25:30",
    ),
    Row(
        "Every month on day 13 if that is a Friday at 09:00 UTC",
        {
            "frequency": "month",
            "schedule": {
                "hours": [9],
                "minutes": [0],
                "monthDays": [13],
                "monthlyOccurrences": [{"day": "friday"}],
            },
        },
        "2026-02-13T09:00:00 2026-03-13T09:00:00 2026-11-13T09:00:00 2027-08-13T09:00:00 "
        "2028-10-13T09:00:00 2029-04-13T09:00:00",
    ),
    Row(
        "Every year in February on day 29 at 00:00 UTC",
        {
            "frequency": "year",
            "schedule": {"months": [2], "monthDays": [29], "hours": [0], "minutes": [0]},
        },
        "2028-02-29T00:00:00 2032-02-29T00:00:00 2036-02-29T00:00:00 2040-02-29T00:00:00 "
        "2044-02-29T00:00:00 2048-02-29T00:00:00",
    ),
    Row(
        "Every year in March, June, September and December on the last day at 12:25:30 UTC",
        {"frequency": "year", "schedule": {"months": [3, 6, 9, 12], "monthDays": [-1]}},
        "2026-03-31T12:25:30 2026-06-30T12:25:30 2026-09-30T12:25:30 2026-12-31T12:25:30 "
        "2027-03-31T12:25:30 2027-06-30T12:25:30",
    ),
    Row(
        "Every hour at minutes 0 and 30 past the hour UTC",
        {"frequency": "hour", "schedule": {"minutes": [0, 30]}},
        "2026-01-13T12:30:00 2026-01-13T13:00:00 2026-01-13T13:30:00 2026-01-13T14:00:00 "
        "2026-01-13T14:30:00 2026-01-13T15:00:00",
    ),
    Row(
        "Every hour at minute 5 past hours 8 and 20 UTC",
        {"frequency": "hour", "schedule": {"minutes": [5], "hours": [8, 20]}},
        "2026-01-13T20:05:00 2026-01-14T08:05:00 2026-01-14T20:05:00 2026-01-15T08:05:00 "
        "2026-01-15T20:05:00 2026-01-16T08:05:00",
    ),
    Row(
        "Every minute during hour 9 UTC",
        {"frequency": "minute", "schedule": {"hours": [9]}},
        "2026-01-14T09:00:30 2026-01-14T09:01:30 2026-01-14T09:02:30 2026-01-14T09:03:30 "
        "2026-01-14T09:04:30 2026-01-14T09:05:30",
    ),
    Row(
        "Every 3 weeks on Monday, Wednesday and Friday at 10:00 and 22:00 UTC",
        {
            "frequency": "week",
            "interval": 3,
            "schedule": {
                "weekDays": ["monday", "wednesday", "friday"],
                "hours": [10, 22],
                "minutes": [0],
            },
        },
        "2026-01-14T10:00:00 2026-01-14T22:00:00 2026-01-16T10:00:00 2026-01-16T22:00:00 "
        "2026-02-02T10:00:00 2026-02-02T22:00:00 2026-02-04T10:00:00 2026-02-04T22:00:00",
        start="2026-01-14T00:00:00Z",
    ),
    Row(
        "Every 2 weeks on Monday and Sunday at 01:00 UTC",
        {
            "frequency": "week",
            "interval": 2,
            "schedule": {"weekDays": ["monday", "sunday"], "hours": [1], "minutes": [0]},
        },
        "2026-01-18T01:00:00 2026-01-26T01:00:00 2026-02-01T01:00:00 2026-02-09T01:00:00 "
        "2026-02-15T01:00:00 2026-02-23T01:00:00",
        start="2026-01-14T00:00:00Z",
    ),
    Row(
        "Every 5 months on the last day at 06:00 UTC",
        {
            "frequency": "month",
            "interval": 5,
            "schedule": {"monthDays": [-1], "hours": [6], "minutes": [0]},
        },
        "2026-01-31T06:00:00 2026-06-30T06:00:00 2026-11-30T06:00:00 2027-04-30T06:00:00 "
        "2027-09-30T06:00:00 2028-02-29T06:00:00",
        start="2026-01-31T00:00:00Z",
    ),
    Row(
        "Every 2 days at 14:00 UTC",
        {"frequency": "day", "interval": 2},
        "2015-04-09T14:00:00 2015-04-11T14:00:00 2015-04-13T14:00:00 2015-04-15T14:00:00",
        start="2015-04-07T14:00:00Z",
        now="2015-04-08T13:00:00Z",
    ),
    Row(
        "Every 2 days at 14:00 UTC",
        {"frequency": "day", "interval": 2},
        "2015-04-09T14:00:00 2015-04-11T14:00:00 2015-04-13T14:00:00 2015-04-15T14:00:00",
        start="2015-04-01T14:00:00Z",
        now="2015-04-08T13:00:00Z",
    ),
    Row(
        "Every month on day 31 or the month's last day at 08:00 UTC",
        {"frequency": "month"},
        "2026-01-31T08:00:00 2026-02-28T08:00:00 2026-03-31T08:00:00 2026-04-30T08:00:00 "
        "2026-05-31T08:00:00 2026-06-30T08:00:00",
        start="2026-01-31T08:00:00Z",
    ),
    Row(
        "Every month on day 31 or the month's last day at 08:00 UTC",
        {"frequency": "month", "schedule": {"hours": [8], "minutes": [0]}},
        "2026-01-31T08:00:00 2026-02-28T08:00:00 2026-03-31T08:00:00 2026-04-30T08:00:00 "
        "2026-05-31T08:00:00 2026-06-30T08:00:00",
        start="2026-01-31T08:00:00Z",
    ),
    Row(
        "Every year in February on day 29 or the month's last day at 00:00 UTC",
        {"frequency": "year"},
        "2026-02-28T00:00:00 2027-02-28T00:00:00 2028-02-29T00:00:00 2029-02-28T00:00:00 "
        "2030-02-28T00:00:00 2031-02-28T00:00:00",
        start="2024-02-29T00:00:00Z",
    ),
    Row(
        "Every 7 minutes",
        {"frequency": "minute", "interval": 7},
        "2026-01-10T00:04:30 2026-01-10T00:11:30 2026-01-10T00:18:30 2026-01-10T00:25:30 "
        "2026-01-10T00:32:30 2026-01-10T00:39:30",
        start="2020-02-29T23:59:30Z",
    ),
    Row(
        "Every 1000 hours",
        {"frequency": "hour", "interval": 1000},
        "2026-02-04T15:59:30 2026-03-18T07:59:30 2026-04-28T23:59:30 2026-06-09T15:59:30 "
        "2026-07-21T07:59:30 2026-08-31T23:59:30",
        start="2020-02-29T23:59:30Z",
    ),
    Row(
        "Every 78 weeks on Saturday at 23:59:30 UTC",
        {"frequency": "week", "interval": 78},
        "2026-02-21T23:59:30 2027-08-21T23:59:30 2029-02-17T23:59:30 2030-08-17T23:59:30 "
        "2032-02-14T23:59:30 2033-08-13T23:59:30",
        start="2020-02-29T23:59:30Z",
    ),
    Row(
        "Every 18 months on day 31 or the month's last day at 23:59:30 UTC",
        {"frequency": "month", "interval": 18},
        "2027-02-28T23:59:30 2028-08-31T23:59:30 2030-02-28T23:59:30 2031-08-31T23:59:30 "
        "2033-02-28T23:59:30 2034-08-31T23:59:30",
        start="2019-08-31T23:59:30Z",
    ),
    Row(
        "Every day in January to March at 05:00 UTC",
        {"frequency": "day", "schedule": {"hours": 5, "minutes": 0, "months": [3, 1, 2]}},
        "2026-03-31T05:00:00 2027-01-01T05:00:00 2027-01-02T05:00:00",
        start="2026-03-31T00:00:00Z",
    ),
    Row(
        "Every 20 days in February at 06:30 UTC",
        {"frequency": "day", "interval": 20, "schedule": {"months": 2}},
        "2026-02-20T06:30:00 2027-02-15T06:30:00 2028-02-10T06:30:00 2029-02-04T06:30:00 "
        "2029-02-24T06:30:00",
        start="2026-01-11T06:30:00Z",
    ),
    Row(
        "Every 2 weeks in February and March on Monday at 12:25:30 UTC",
        {"frequency": "week", "interval": 2, "schedule": {"weekDays": "Monday", "months": [2, 3]}},
        "2026-02-09T12:25:30 2026-02-23T12:25:30 2026-03-09T12:25:30 2026-03-23T12:25:30 "
        "2027-02-08T12:25:30",
    ),
    Row(
        "Every 5 months in January and June on day 31 or the month's last day at 00:00 UTC",
        {"frequency": "month", "interval": 5, "schedule": {"months": [1, 6]}},
        "2026-01-31T00:00:00 2026-06-30T00:00:00 2031-01-31T00:00:00 2031-06-30T00:00:00",
        start="2026-01-31T00:00:00Z",
    ),
    Row(
        "Every year in March and April on day 31 or the month's last day at 08:00 UTC",
        {"frequency": "year", "schedule": {"months": [4, 3]}},
        "2026-03-31T08:00:00 2026-04-30T08:00:00 2027-03-31T08:00:00 2027-04-30T08:00:00",
        start="2026-01-31T08:00:00Z",
    ),
    Row(
        "Every year in every month on day 1 at 12:25:30 UTC",
        {"frequency": "year", "schedule": {"monthDays": 1}},
        "2026-02-01T12:25:30 2026-03-01T12:25:30 2026-04-01T12:25:30",
    ),
    Row(
        "Every year in January on day 13 at 05:00 UTC",
        {"frequency": "year", "schedule": {"hours": 5, "minutes": 0}},
        "2027-01-13T05:00:00 2028-01-13T05:00:00",
    ),
    Row(
        "Every year in February on day 29 if that is a Monday at 00:00 UTC",
        {
            "frequency": "year",
            "schedule": {
                "months": [2],
                "monthDays": [29],
                "monthlyOccurrences": [{"day": "monday"}],
                "hours": 0,
                "minutes": 0,
            },
        },
        "2044-02-29T00:00:00 2072-02-29T00:00:00 2112-02-29T00:00:00",
    ),
    Row(
        "Every month on day 29 if that is the fifth Thursday or the last Sunday at 01:00 UTC",
        {
            "frequency": "month",
            "schedule": {
                "monthDays": [29],
                "monthlyOccurrences": [
                    {"day": "Thursday", "occurrence": 5},
                    {"day": "SUNDAY", "Occurrence": -1},
                ],
                "hours": 1,
                "minutes": 0,
            },
        },
        "2026-01-29T01:00:00 2026-03-29T01:00:00 2026-10-29T01:00:00 2026-11-29T01:00:00 "
        "2027-04-29T01:00:00",
    ),
    Row(
        "Every month on days 1 to 3, 10, the 31st-to-last day and the 12th-to-last day "
        "at 00:00 UTC",
        {
            "frequency": "month",
            "schedule": {"monthDays": [-12, 3, 2, 1, 10, -31], "hours": 0, "minutes": 0},
        },
        "2026-01-20T00:00:00 2026-02-01T00:00:00 2026-02-02T00:00:00 2026-02-03T00:00:00 "
        "2026-02-10T00:00:00 2026-02-17T00:00:00",
    ),
    Row(
        "Every 5 hours at minute 25:30 past hours 8 and 9 UTC",
        {"frequency": "hour", "interval": 5, "schedule": {"hours": [8, 9]}},
        "2026-01-14T08:25:30 2026-01-15T09:25:30 2026-01-19T08:25:30",
    ),
    Row(
        "Every 7 minutes at minutes 0 and 30 past hour 9 UTC",
        {"frequency": "minute", "interval": 7, "schedule": {"hours": 9, "minutes": [0, 30]}},
        "2026-01-19T09:00:00 2026-01-20T09:30:00 2026-01-26T09:00:00",
    ),
    Row(
        "Every 1000 minutes at minute 5 past the hour UTC",
        {"frequency": "minute", "interval": 1000, "schedule": {"minute": 5}},
        "2026-01-14T05:05:00 2026-01-16T07:05:00 2026-01-18T09:05:00",
    ),
    Row(
        "Every 2 days at 12:25:30 UTC, 2 times",
        {"frequency": "day", "interval": 2, "count": 2},
        "2026-01-13T12:25:30.1234567 2026-01-15T12:25:30.1234567",
        start="2026-01-13T12:25:30.1234567Z",
    ),
    Row(
        "Every hour, until 2026-01-13 14:25 UTC",
        {"frequency": "hour", "endTime": "2026-01-13T15:25+01:00"},
        "2026-01-13T12:25:00 2026-01-13T13:25:00 2026-01-13T14:25:00",
        start="2026-01-13T12:25Z",
    ),
    Row(
        "Every day at 09:00 Europe/Prague time, one time, until 2026-07-01 22:00 UTC",
        {"frequency": "day", "count": 1, "endTime": "2026-07-02", "timeZone": "Europe/Prague"},
        "2026-07-01T07:00:00",
        start="2026-07-01T09:00",
    ),
)
