"""Test that a file over the limit is refused by the browser before it is sent, and by the server in any case."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.browser.conftest import Server, Visit, start_server, stop_server

pytestmark = pytest.mark.browser
TOO_LARGE = b" " * (2 << 20)


@pytest.fixture(scope="module")
def strict(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    running = start_server(tmp_path_factory.mktemp("strict"), STREAMLIT_SERVER_MAX_UPLOAD_SIZE="1")
    yield running
    stop_server(running)


def test_a_file_over_the_limit_is_refused_by_the_page_and_by_the_server(strict: Server, visit: Visit) -> None:
    """A client that bypasses the page is refused by the server."""
    watched = visit(strict, "dataset")
    page = watched.page
    assert "1MB per file" in page.inner_text(".st-key-tl-drop"), "Streamlit says it"
    addresses: list[str] = []
    page.on("request", lambda r: addresses.append(r.url) if r.method == "PUT" else None)
    page.set_input_files(
        '[data-testid="stFileUploader"] input[type=file]',
        [{"name": "large.json", "mimeType": "application/json", "buffer": TOO_LARGE}],
    )
    said = page.wait_for_selector('[data-testid="stFileUploader"] :text("must be 1.0MB or smaller")')
    assert said.bounding_box()["width"] > 150, "only screen readers are told"
    watched.idle()
    assert "study=" not in page.url
    assert addresses == []
    watched.shot("refused-upload")
    watched.check()
    page.set_input_files(
        '[data-testid="stFileUploader"] input[type=file]',
        [{"name": "small.json", "mimeType": "application/json", "buffer": b"{}"}],
    )
    page.wait_for_selector('[role="alert"]:has-text("No study could be made")')
    status = page.evaluate(
        """async ([place, size]) => {
          const xsrf = document.cookie.match(/_streamlit_xsrf=([^;]*)/)[1];
          const form = new FormData();
          form.append('file', new Blob(['x'.repeat(size)]), 'large.json');
          return (await fetch(place, {method: 'PUT', body: form, headers: {'X-Xsrftoken': xsrf}})).status;
        }""",
        [addresses[0], len(TOO_LARGE)],
    )
    assert status == 413
