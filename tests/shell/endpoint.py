#!/usr/bin/env python3
"""tests/shell/endpoint.py SCRIPT LOG PORTFILE - an endpoint that plays scripts

Speaks Anthropic's Messages and OpenAI's Chat Completions on a free port of
127.0.0.1, whose number goes to PORTFILE.  SCRIPT is a line a response, each the
name of a function below and its words; the last one is repeated.  Requests are
appended to LOG as JSON: path, headers, body.
"""
import http.server
import json
import os
import sys
import threading
import time

SCALE = """#include <opsweep/op.h>
int scale_kernel_impl(const osw_call *call)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    float a = (float)osw_arg_float(call, 1, 1.0);
    osw_tensor *y = osw_output(call, 0, x->dtype, x->ndim, x->shape, NULL);
    if (!y)
        return OSW_ERROR;
    for (int64_t i = 0; i < osw_numel(x); i++)
        ((float *)osw_data(y))[i] = a %s ((const float *)osw_data(x))[i];
    return 0;
}
"""


def code(sign):
    return "Grüße: 速い kernel.\n```c\n" + SCALE % sign + "```\n"


def anthropic(text, stop="end_turn", thinking=True):
    """A message as a stream: thinking first, then the text in two blocks."""
    def event(kind, **rest):
        return "event: %s\ndata: %s\n\n" % (
            kind, json.dumps(dict(type=kind, **rest), ensure_ascii=False))

    out = event("message_start", message={
        "model": "fake-1", "content": [], "stop_reason": None,
        "usage": {"input_tokens": 100, "cache_read_input_tokens": 20,
                  "cache_creation_input_tokens": 3, "output_tokens": 1}})
    out += event("ping")
    if thinking:
        out += event("content_block_start", index=0,
                     content_block={"type": "thinking", "thinking": ""})
        out += event("content_block_delta", index=0, delta={
            "type": "thinking_delta", "thinking": code("-")})
    half = len(text) // 2
    for i, part in enumerate((text[:half], text[half:])):
        out += event("content_block_start", index=1 + i,
                     content_block={"type": "text", "text": ""})
        for at in range(0, len(part), 7):
            out += event("content_block_delta", index=1 + i, delta={
                "type": "text_delta", "text": part[at:at + 7]})
        out += event("content_block_stop", index=1 + i)
    out += event("message_delta", delta={"stop_reason": stop},
                 usage={"output_tokens": 50})
    return (out + event("message_stop")).encode()


def openai(text, stop="stop"):
    def chunk(**rest):
        return "data: %s\n\n" % json.dumps(dict(model="fake-2", **rest))

    out = ": a comment\n\n"
    for at in range(0, len(text), 9):
        out += chunk(choices=[{"delta": {"content": text[at:at + 9]},
                               "finish_reason": None}], usage=None)
    out += chunk(choices=[{"delta": {}, "finish_reason": stop}])
    out += chunk(choices=[], usage={
        "prompt_tokens": 123, "completion_tokens": 50,
        "prompt_tokens_details": {"cached_tokens": 20}})
    return (out + "data: [DONE]\n\n").encode()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def start(self, status=200, kind="text/event-stream", length=None, **headers):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        if length is not None:
            self.send_header("Content-Length", str(length))
        else:
            self.send_header("Connection", "close")
            self.close_connection = True
        self.end_headers()

    def whole(self, body, status=200, kind="text/event-stream", **headers):
        self.start(status, kind, len(body), **headers)
        self.wfile.write(body)

    def message(self, text, **how):
        return (openai if "completions" in self.path else anthropic)(text, **how)

    def error(self, status, kind, message="no", **headers):
        self.whole(json.dumps({"type": "error", "error": {
            "type": kind, "message": message}}).encode(), status,
            "application/json", **headers)

    # --- what a line of the script may be ---

    def right(self):
        self.whole(self.message(code("*")))

    def wrong(self):
        self.whole(self.message(code("+")))

    def single_bytes(self):
        body = self.message(code("*"))
        self.start(length=len(body))
        for i in range(len(body)):
            self.wfile.write(body[i:i + 1])
            self.wfile.flush()

    def slow(self, seconds):
        time.sleep(float(seconds))
        self.right()

    def plain(self):
        """Not streamed, though that was asked for."""
        if "completions" in self.path:
            body = {"model": "m", "choices": [{"message": {"content": code("*")},
                    "finish_reason": "stop"}],
                    "usage": {"prompt_tokens": 9, "completion_tokens": 9}}
        else:
            body = {"type": "message", "model": "m", "stop_reason": "end_turn",
                    "content": [{"type": "text", "text": code("*")}],
                    "usage": {"input_tokens": 9, "output_tokens": 9}}
        self.whole(json.dumps(body).encode(), 200, "application/json")

    def cut(self, share):
        body = self.message(code("*"))
        self.start()
        self.wfile.write(body[:int(len(body) * float(share))])

    def cut_short(self):
        """Fewer bytes than announced."""
        body = self.message(code("*"))
        self.start(length=len(body))
        self.wfile.write(body[:len(body) // 2])
        self.close_connection = True

    def error_after_200(self):
        body = self.message(code("*")).split(b"\n\n")
        self.start()
        self.wfile.write(b"\n\n".join(body[:4]) + b"\n\n" + b'data: {"type": '
                         b'"error", "error": {"type": "overloaded_error", '
                         b'"message": "Overloaded"}}\n\n')

    def refusal(self):
        stop = "content_filter" if "completions" in self.path else "refusal"
        self.whole(self.message("I will not.", stop=stop))

    def max_tokens(self):
        stop = "length" if "completions" in self.path else "max_tokens"
        self.whole(self.message(code("*")[:200], stop=stop))

    def status(self, number, kind="api_error", after=None, message="no"):
        headers = {"Retry_After": after} if after else {}
        self.error(int(number), kind, message, **headers)

    def controls(self):
        self.error(401, "authentication_error", "no \x1b[2J\x9b2J\x07!")

    def html(self, number):
        self.whole(b"<html><body>Bad gateway</body></html>", int(number),
                   "text/html")

    def redirect(self):
        self.whole(b"", 307, Location="http://127.0.0.1:%d/elsewhere" %
                   self.server.server_port)

    def huge(self):
        self.start()
        piece = self.message("x" * 60000, **{})
        try:
            for _ in range(1200):
                self.wfile.write(piece.split(b"event: message_delta")[0])
        except OSError:
            pass

    def garbage(self):
        self.start()
        self.wfile.write(b"data: {\"a\": [[[[\n\ndata: \x00\xff\n\n")

    def deep(self):
        self.start()
        self.wfile.write(b"data: " + b"[" * 100000 + b"\n\n")

    def echo_key(self):
        """Everything that the server knows of the key."""
        key = self.headers.get("x-api-key") or self.headers.get("Authorization")
        self.whole(self.message("Key: %s\n%s" % (key, code("*"))))

    def echo_key_in_error(self):
        key = self.headers.get("x-api-key") or self.headers.get("Authorization")
        self.error(401, "authentication_error", "invalid key " + key)

    def do_GET(self):
        self.note(b"")
        self.whole(b"", 404)

    def note(self, body):
        with self.server.lock, open(self.server.log, "a") as f:
            json.dump({"path": self.path, "headers": dict(self.headers),
                       "body": json.loads(body or b"null")}, f)
            f.write("\n")

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.note(body)
        with self.server.lock:
            words = self.server.script[0].split()
            if len(self.server.script) > 1:
                del self.server.script[0]
        getattr(self, words[0])(*words[1:])


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    lock = threading.Lock()

    def handle_error(self, *_):
        pass


def main():
    script, log, port = sys.argv[1:]
    server = Server(("127.0.0.1", 0), Handler)
    with open(script) as f:
        server.script = [line.strip() for line in f if line.strip()]
    server.log = log
    with open(port + ".part", "w") as f:
        f.write(str(server.server_port))
    os.rename(port + ".part", port)
    server.serve_forever()


main()
