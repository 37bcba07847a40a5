"""Test the page of measurements."""

from tests.prove.tables import markdown


def test_rows_of_a_title_are_one_table_with_all_their_columns():
    rows = [
        {"table": "Levels", "metric": "trm", "measured": 0.0481},
        {"table": "Coverage", "metric": "bleu_4", "measured": 0.95},
        {"table": "Levels", "metric": "mmd", "measured": 0.05, "before": 0.224},
    ]
    page = markdown(rows)
    assert page.index("## Coverage") < page.index("## Levels")
    assert "| metric | measured | before |" in page
    assert page.index("| mmd | 0.05 | 0.224 |") < page.index("| trm | 0.048 |  |")
