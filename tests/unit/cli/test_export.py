"""`stratawatch export mlflow`: what is said where it cannot be done. What it puts there is tried on MLflow, in tests/live."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest


class Answering:
    """A server on loopback that gives every request one answer."""

    def __init__(self, status, body):
        asked = self.asked = []

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                asked.append((self.command, self.path, self.headers.get("authorization")))
                self.send_response(status)
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def do_POST(self):
                self.do_GET()

            def log_message(self, *args):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}"


@pytest.fixture
def answering():
    started = []

    def start(status, body):
        started.append(Answering(status, body if isinstance(body, bytes) else json.dumps(body).encode()))
        return started[-1]

    yield start
    for one in started:
        one.server.shutdown()
        one.server.server_close()


def test_without_a_place_it_says_what_to_add(judged):
    assert "there is no [mlflow] to export to" in judged.run("export", "mlflow", code=2).stderr


@pytest.mark.parametrize(
    ("status", "body", "said"),
    [
        (200, b"<html>", "what answers is no MLflow"),
        (200, [1], "what answers is no MLflow"),
        (401, {"error_code": "UNAUTHENTICATED", "message": "who are you"}, "see `token` below [mlflow]"),
        (400, {"error_code": "INVALID_PARAMETER_VALUE", "message": "no"}, "HTTP 400 INVALID_PARAMETER_VALUE no"),
        (404, {"error_code": "ENDPOINT_NOT_FOUND"}, "HTTP 404 ENDPOINT_NOT_FOUND"),
        (503, b"", "did not take what was sent"),
        (200, {"experiment": {"experiment_id": "1", "lifecycle_stage": "deleted"}}, "of MLflow is deleted"),
    ],
)
def test_what_a_server_answers_wrongly_is_said(judged, answering, status, body, said):
    server = answering(status, body)
    judged.configure(more=f'\n[mlflow]\nurl = "{server.url}"\n')
    assert said in " ".join(judged.run("export", "mlflow", code=2).stderr.split())


def test_the_token_is_sent_and_shown_nowhere(judged, answering):
    server = answering(403, {"error_code": "PERMISSION_DENIED"})
    judged.configure(more=f'\n[mlflow]\nurl = "{server.url}"\ntoken = "${{file:token}}"\n')
    (judged.folder / "token").write_text("s3cr3t-s3cr3t")
    done = judged.run("export", "mlflow", code=2)
    assert server.asked[0][2] == "Bearer s3cr3t-s3cr3t"
    assert "s3cr3t" not in done.stdout + done.stderr


def test_a_server_that_is_away_is_said(judged):
    judged.configure(more='\n[mlflow]\nurl = "http://127.0.0.1:9"\n')
    assert "MLflow cannot be reached" in judged.run("export", "mlflow", code=2).stderr
