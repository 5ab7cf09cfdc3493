"""Tables on terminals of different widths."""

from foliot.cli.remote.narrow_table import lay_out, lines_below, row_text

HEADINGS = ("PLANNED", "COLLECTION", "JOB", "OUTCOME", "TAG")
RANKS = (0, 1, 0, 0, 2)
ROW = ("2026-03-01T07:30:00Z", "me/home/billing", "nightly-report", "failed", "0123456789abcdef")


def test_a_table_that_fits_has_all_columns_beside_each_other() -> None:
    layout = lay_out(HEADINGS, [ROW], RANKS, 120)

    assert "".join(row_text(ROW, layout)).rstrip() == (
        "2026-03-01T07:30:00Z  me/home/billing  nightly-report  failed   0123456789abcdef"
    )
    assert lines_below(HEADINGS, ROW, layout, 120) == []


def test_the_column_of_the_highest_rank_goes_below_first() -> None:
    layout = lay_out(HEADINGS, [ROW], RANKS, 72)

    assert "".join(row_text(ROW, layout)).rstrip() == (
        "2026-03-01T07:30:00Z  me/home/billing  nightly-report  failed"
    )
    assert lines_below(HEADINGS, ROW, layout, 72) == ["tag: 0123456789abcdef"]


def test_columns_without_a_rank_go_below_when_nothing_else_is_left_and_the_first_one_stays() -> (
    None
):
    layout = lay_out(HEADINGS, [ROW], RANKS, 10)

    assert "".join(row_text(ROW, layout)).rstrip() == "2026-03-01T07:30:00Z"
    assert lines_below(HEADINGS, ROW, layout, 50) == [
        "collection: me/home/billing  job: nightly-report",
        "outcome: failed  tag: 0123456789abcdef",
    ]


def test_an_empty_cell_below_a_row_is_left_out() -> None:
    layout = lay_out(HEADINGS, [ROW, (*ROW[:4], "")], RANKS, 72)

    assert lines_below(HEADINGS, (*ROW[:4], ""), layout, 72) == []


def test_letters_that_take_two_cells_count_as_two() -> None:
    layout = lay_out(("A", "B"), [("日報", "x")], (0, 0), 80)

    assert row_text(("日報", "x"), layout) == ["日報  ", "x  "]
    assert row_text(("A", "B"), layout) == ["A     ", "B  "]
