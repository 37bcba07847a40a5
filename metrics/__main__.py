"""`python -m metrics`: the command line."""

import signal

INTERRUPTED = 130
"""Exit status of an interrupted program, by shell convention."""


def main(name: str = "trilens") -> None:
    """Run the command line, which calls itself `name`."""
    for kind in ("SIGTERM", "SIGHUP"):
        if (number := getattr(signal, kind, None)) and signal.getsignal(number) == signal.SIG_DFL:  # nohup ignores it
            signal.signal(number, signal.default_int_handler)
    try:
        from metrics.cli.errors import report_errors

        with report_errors():
            from metrics.cli.app import app

            app(prog_name=name)
    except KeyboardInterrupt:
        raise SystemExit(INTERRUPTED) from None


if __name__ == "__main__":
    main("python -m metrics")
