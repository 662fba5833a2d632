"""tests/shell/browser.py - a headless Chromium, driven through its debug pipe

    with Browser() as b:
        b.open(path)                 # and wait until it is loaded
        b.run("document.title")      # the value of an expression
        b.picture(path, dark=True)   # a PNG of the window
        b.errors, b.requests         # what the console said, what was asked for

Nothing but the standard library: commands go to file descriptor 3 of the
browser, answers come from 4, each ends in a NUL.
"""
import base64, json, os, pathlib, select, shutil, subprocess, tempfile, time


def find():
    """Path of a Chromium, or None."""
    for name in ("chromium", "chromium-browser", "google-chrome", "chrome"):
        if shutil.which(name):
            return shutil.which(name)
    return None


class Browser:
    def __init__(self, width=1400, height=1000, timeout=60):
        self.timeout, self.size = timeout, (width, height)

    def __enter__(self):
        self.home = tempfile.mkdtemp(prefix="browser.")
        to_r, self.to = os.pipe()
        self.back, back_w = os.pipe()

        def wire():
            a, b = os.dup(to_r), os.dup(back_w)  # neither may be 3 or 4 itself
            a, b = os.dup2(a, 63), os.dup2(b, 64)
            os.dup2(a, 3)
            os.dup2(b, 4)
            for fd in (3, 4):
                os.set_inheritable(fd, True)

        self.process = subprocess.Popen(
            [find(), "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
             "--disable-dev-shm-usage", "--disable-background-networking",
             "--user-data-dir=" + self.home, "--remote-debugging-pipe",
             "--window-size=%d,%d" % self.size, "about:blank"],
            preexec_fn=wire, close_fds=False, start_new_session=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        os.close(to_r)
        os.close(back_w)
        self.number, self.rest, self.events = 0, b"", []
        self._errors, self._requests, self.session = [], [], None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target,
                                 flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(domain + ".enable")
        return self

    def __exit__(self, *why):
        self.process.kill()
        self.process.wait()
        os.close(self.to)
        os.close(self.back)
        shutil.rmtree(self.home, ignore_errors=True)

    def read(self, until):
        while b"\0" not in self.rest:
            left = until - time.monotonic()
            if left <= 0 or not select.select([self.back], [], [], left)[0]:
                raise TimeoutError("the browser does not answer")
            more = os.read(self.back, 1 << 20)
            if not more:
                raise EOFError("the browser ended")
            self.rest += more
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def note(self, m):
        p = m.get("params", {})
        if m["method"] == "Runtime.exceptionThrown":
            self._errors.append(p["exceptionDetails"].get("exception", {}).get(
                "description", p["exceptionDetails"]["text"]))
        elif m["method"] == "Runtime.consoleAPICalled":
            self._errors.append("console.%s %s" % (p["type"], p["args"]))
        elif m["method"] == "Log.entryAdded":
            self._errors.append(p["entry"]["text"])
        elif m["method"] == "Network.requestWillBeSent":
            self._requests.append(p["request"]["url"])
        self.events.append(m["method"])

    def call(self, method, **params):
        self.number += 1
        m = {"id": self.number, "method": method, "params": params}
        if self.session:
            m["sessionId"] = self.session
        os.write(self.to, json.dumps(m).encode() + b"\0")
        until = time.monotonic() + self.timeout
        while True:
            answer = self.read(until)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError("%s: %s" % (method, answer["error"]["message"]))
                return answer["result"]
            if "method" in answer:
                self.note(answer)

    def open(self, path, fragment=""):
        """Seconds until the load event, all scripts of the page having run."""
        self.navigate("about:blank")  # another fragment alone loads nothing
        return self.navigate(pathlib.Path(path).resolve().as_uri() + fragment)

    def navigate(self, url):
        self.events, self._errors, self._requests = [], [], []
        t0 = time.monotonic()
        self.call("Page.navigate", url=url)
        while "Page.loadEventFired" not in self.events:
            m = self.read(t0 + self.timeout)
            if "method" in m:
                self.note(m)
        return time.monotonic() - t0

    def run(self, expression):
        r = self.call("Runtime.evaluate", expression=expression,
                      returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in r:
            raise RuntimeError(r["exceptionDetails"]["exception"].get("description"))
        return r["result"].get("value")

    @property
    def errors(self):
        self.run("0")  # events that came in the meantime are read with the answer
        return self._errors

    @property
    def requests(self):
        self.run("0")
        return self._requests

    def theme(self, dark, media=""):
        self.call("Emulation.setEmulatedMedia", media=media, features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def resize(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=False)

    def key(self, name):
        """A key is pressed: a letter, or Tab, Enter, Escape."""
        code = {"Tab": 9, "Enter": 13, "Escape": 27}.get(name, 0)
        text = {"Tab": "", "Escape": "", "Enter": "\r"}.get(name, name)
        self.call("Input.dispatchKeyEvent", type="keyDown", key=name, text=text,
                  windowsVirtualKeyCode=code)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=name,
                  windowsVirtualKeyCode=code)

    def picture(self, path, dark=False):
        self.theme(dark)
        shot = self.call("Page.captureScreenshot")
        with open(path, "wb") as f:
            f.write(base64.b64decode(shot["data"]))
