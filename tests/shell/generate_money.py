#!/usr/bin/env python3
"""tests/shell/generate_money.py OPSWEEP ROOT FOLDER N [FIRST] - N random scripts of kills and
retries: nothing is paid for twice, and never more than --max-cost

A script is a run of `opsweep generate` against an endpoint of our own, which
answers, is busy, refuses, is slow and breaks off as the script's seed says, and
keeps its own bill.  The run is killed by SIGKILL up to six times, once its
journal has grown by a random number of bytes, and resumed; the last session
ends by itself.  ROOT has an op without implementations, so that most sessions
judge nothing: what is tried is money.
"""
import concurrent.futures
import http.server
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time

IN, OUT = 1000.0, 5000.0  # of a million tokens
MAX_TOKENS = 200
KERNEL = """```c
#include <opsweep/op.h>
int inc_kernel_impl(const osw_call *call)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    osw_tensor *y = osw_output(call, 0, x->dtype, x->ndim, x->shape, NULL);
    for (int64_t i = 0; y && i < osw_numel(x); i++)
        ((float *)osw_data(y))[i] = ((const float *)osw_data(x))[i] + %d;
    return 0;
}
```
"""


class Endpoint(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def begin(self, rng):
        self.rng, self.lock = rng, threading.Lock()
        self.bill, self.n_billed, self.n_requests = 0.0, 0, 0

    def handle_error(self, *_):
        pass  # a client that was killed


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def send(self, status, body, cut=False, **headers):
        body = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body[:len(body) // 2] if cut else body)
        self.close_connection = self.close_connection or cut

    def do_POST(self):
        s = self.server
        prompt = self.rfile.read(int(self.headers["Content-Length"]))
        with s.lock:
            s.n_requests += 1
            what = s.rng.choices(
                ["answer", "code", "slow", "cut", "busy", "overloaded", "bad"],
                [40, 3, 12, 10, 12, 8, 15])[0]
            tokens = s.rng.randrange(1, len(prompt) // 4), s.rng.randrange(1, MAX_TOKENS + 1)
            number, pause = s.rng.randrange(4), s.rng.random() * 0.08
            if what in ("answer", "code", "slow", "cut"):
                s.n_billed += 1
                s.bill += (IN * tokens[0] + OUT * tokens[1]) / 1e6
        if what in ("busy", "overloaded"):
            status = 429 if what == "busy" else 529
            kind = "rate_limit_error" if what == "busy" else "overloaded_error"
            self.send(status, {"type": "error", "error": {"type": kind, "message": "no"}},
                      retry_after="0.01")
            return
        if what == "bad":
            self.send(400, {"type": "error", "error": {
                "type": "invalid_request_error", "message": "no"}})
            return
        if what == "slow":
            time.sleep(pause)
        text = KERNEL % number if what == "code" else "I would rather not, for reason %d." % number
        self.send(200, {"type": "message", "model": "m", "stop_reason": "end_turn",
                        "content": [{"type": "text", "text": text}],
                        "usage": {"input_tokens": tokens[0], "output_tokens": tokens[1]}},
                  cut=what == "cut")


def entries(journal):
    """Whole lines of the journal."""
    if not os.path.exists(journal):
        return []
    lines = open(journal, "rb").read().split(b"\n")[:-1]
    return [json.loads(line[9:]) for line in lines]


def account(journal):
    """Spent by the journal, and how many requests were begun."""
    asks, costs = {}, {}
    for e in entries(journal):
        key = e["op"], e["attempt"]
        if e["entry"] == "ask":
            assert key not in asks, ("asked for twice", key)
            asks[key] = e["reserved"]
        elif e["entry"] == "answer":
            assert key in asks and key not in costs, ("answered twice", key)
            costs[key] = e["cost"]
            used = e["input_tokens"] + e["output_tokens"]
            if used:
                paid = (IN * e["input_tokens"] + OUT * e["output_tokens"]) / 1e6
                assert abs(e["cost"] - paid) < 1e-9, e
    return sum(costs.get(k, reserved) for k, reserved in asks.items()), len(asks)


def session(command, journal, kill_after):
    """Run it, killed once the journal has grown by so many bytes; None: never."""
    size = os.path.getsize(journal) if os.path.exists(journal) else 0
    p = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    until = time.time() + 20
    while kill_after is not None and p.poll() is None and time.time() < until:
        if os.path.exists(journal) and os.path.getsize(journal) - size >= kill_after:
            p.send_signal(signal.SIGKILL)
            break
        time.sleep(0.001)
    return p.communicate()[0], p.returncode


def play(opsweep, root, folder, seed):
    """Returns how often it was killed, and the requests that were begun and sent."""
    rng = random.Random(seed)
    endpoint = Endpoint(("127.0.0.1", 0), Handler)
    endpoint.begin(random.Random(seed + 1000000))
    threading.Thread(target=endpoint.serve_forever, args=(0.02,), daemon=True).start()
    run = "%s/run_%d" % (folder, seed)
    journal = run + "/journal"
    most = rng.choice([2.0, 5.0, 12.0, 30.0, 1000.0])
    start = [opsweep, "generate", "--custom-ops-root", root, "--device", "cpu", "-n", "1",
             "--profile", "correct", "--model", "m", "--url",
             "http://127.0.0.1:%d" % endpoint.server_address[1], "--generated-dir", folder,
             "--run-id", str(seed), "--price", "%g,%g" % (IN, OUT), "--max-cost", "%g" % most,
             "--max-tokens", str(MAX_TOKENS), "--attempts", str(rng.randrange(2, 10)),
             "--search", rng.choice(["best-of", "refine", "population"]),
             "--width", str(rng.randrange(1, 4)), "--concurrency", str(rng.randrange(1, 5)),
             "--no-sanitizer"]
    n_killed, n_kills = 0, rng.randrange(7)
    for i in range(n_kills + 1):
        begun = os.path.exists(run + "/options.json")
        if not begun and os.path.exists(run):
            assert not entries(journal), "asked before its options were kept"
            shutil.rmtree(run)
        out, code = session(
            [opsweep, "generate", "--resume", run] if begun else start, journal,
            rng.choice([0, 1, 150, 400, 900]) if i < n_kills else None)
        n_killed += code == -signal.SIGKILL
        spent, n_asks = account(journal)
        assert spent <= most + 1e-9, ("spent", spent, "of", most)
        assert code in (0, 1, 4, -signal.SIGKILL), (code, out)
    time.sleep(0.01)
    endpoint.shutdown()
    endpoint.server_close()
    assert endpoint.n_billed <= n_asks, ("billed", endpoint.n_billed, "of", n_asks)
    assert endpoint.bill <= spent + 1e-9, ("bill", endpoint.bill, "noted", spent)
    if "cost " in out:
        said = float(out.split("\ncost", 1)[1].split()[0])
        assert abs(said - spent) <= 1e-5 * max(spent, 1), (said, spent)
    return n_killed, n_asks, endpoint.n_requests, spent / most > 0.5


def main():
    opsweep, root, folder, n = sys.argv[1:4] + [int(sys.argv[4])]
    first = int(sys.argv[5]) if len(sys.argv) > 5 else 0
    os.environ["ANTHROPIC_API_KEY"] = "canary-of-money"
    before, t = os.times(), time.time()
    sums = [0, 0, 0, 0]

    def one(seed):
        try:
            return play(opsweep, root, folder, seed)
        except BaseException:
            print("script %d (FIRST %d, N 1 plays it again)" % (seed, seed), file=sys.stderr)
            raise

    # Most of the time they wait.
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for result in pool.map(one, range(first, first + n)):
            sums = [a + b for a, b in zip(sums, result)]
    after = os.times()
    used = sum(after[:4]) - sum(before[:4])
    print("%d scripts, %d kills, %d requests begun, %d sent, %d runs near their limit: "
          "%.1f s of processors, %.1f s" % (n, *sums, used, time.time() - t))
    assert sums[0] > n // 2 and sums[1] > n and sums[2] > n and sums[3] > 0, \
        "too little was tried"


main()
