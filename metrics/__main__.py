"""`python -m metrics`: the command line."""

from metrics.cli.errors import report_errors

if __name__ == "__main__":
    with report_errors():
        from metrics.cli.app import app

        app(prog_name="python -m metrics")
