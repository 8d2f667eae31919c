# SPDX-License-Identifier: BSD-3-Clause
"""A headless Chromium that is told what to do (its protocol, over two pipes)."""
import json
import os
import select
import shutil
import subprocess
import tempfile
import time


def path():
    """Where Chromium is: what $CHROMIUM names, or the first in PATH; None."""
    for name in (os.environ.get("CHROMIUM"), "chromium", "chromium-browser", "google-chrome"):
        if name and shutil.which(name):
            return shutil.which(name)
    return None


class Browser:
    """One page. `events` keeps what the browser says unasked."""

    def __init__(self, width=1000, height=900, flags=()):
        self._profile = tempfile.TemporaryDirectory(prefix="redblue-chromium-", ignore_cleanup_errors=True)
        to_browser, self._out = os.pipe()
        self._in, from_browser = os.pipe()

        def pipes():  # the browser reads 3 and writes 4
            os.dup2(to_browser, 103)
            os.dup2(from_browser, 104)
            os.dup2(103, 3)
            os.dup2(104, 4)

        self._process = subprocess.Popen(
            [path(), "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--no-first-run",
             f"--user-data-dir={self._profile.name}", f"--window-size={width},{height}", *flags, "about:blank"],
            preexec_fn=pipes, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self._text, self._number, self._session, self.events = b"", 0, None, []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(f"{domain}.enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.kill()
        self._process.wait()
        self._profile.cleanup()

    def _message(self, until):
        while b"\0" not in self._text:
            left = until - time.monotonic()
            if left <= 0 or not select.select([self._in], [], [], left)[0]:
                raise TimeoutError("Chromium does not answer")
            read = os.read(self._in, 1 << 20)
            if not read:
                raise EOFError("Chromium has ended")
            self._text += read
        message, self._text = self._text.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, seconds=60, **parameters):
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self._out, data):]
        until = time.monotonic() + seconds
        while True:
            answer = self._message(until)
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def open(self, address, seconds=60):
        self.call("Page.navigate", url=address)
        until = time.monotonic() + seconds
        while self.value("document.readyState") != "complete" or self.value("location.href") == "about:blank":
            if time.monotonic() > until:
                raise TimeoutError(f"{address} is not complete")
            time.sleep(0.05)

    def value(self, expression, seconds=60):
        """Of a JavaScript expression; promises are waited for."""
        result = self.call("Runtime.evaluate", seconds=seconds, expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in result:
            raise RuntimeError(result["exceptionDetails"].get("exception", {}).get("description", "an exception"))
        return result["result"].get("value")

    def complaints(self):
        """What the page said to its console, and errors of its scripts."""
        said = []
        for event in self.events:
            method, p = event.get("method"), event.get("params", {})
            if method == "Runtime.consoleAPICalled":
                said.append(" ".join(str(a.get("value")) for a in p["args"]))
            elif method == "Runtime.exceptionThrown":
                said.append(p["exceptionDetails"].get("text", "an exception"))
            elif method == "Log.entryAdded":
                said.append(p["entry"]["text"])
        return said
