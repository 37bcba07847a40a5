"""`python -m metrics`: the command line."""

from cli import interrupt


def main(name: str = "trilens") -> None:
    """Run the command line, which calls itself `name`."""
    interrupt.end_on_signals()
    try:
        from cli.errors import report_errors

        with report_errors():
            from cli.app import app

            app(prog_name=name)
    except KeyboardInterrupt:
        raise SystemExit(interrupt.INTERRUPTED) from None


if __name__ == "__main__":
    main("python -m metrics")
