"""`python -m metrics`: the command line."""

from metrics.cli.errors import in_a_sentence

if __name__ == "__main__":
    with in_a_sentence():
        from metrics.cli.app import app

        app(prog_name="python -m metrics")
