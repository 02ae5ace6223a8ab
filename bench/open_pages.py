"""People who have the overview open: each holds a live stream and fetches the page again as `crates/console/assets/live.js` does."""

import asyncio
import html
import multiprocessing
import random
import re
import time

# The least time between two fetches that `facts` cause, and by how much of it they are spread.
WAIT_S, SPREAD = 30, 0.2
HEADERS = "Host: 127.0.0.1\r\nAccept-Encoding: gzip, deflate, br, zstd\r\n"
PAGE = "text/html,application/xhtml+xml"
# The first source of a picture is the one of wide windows.
CHART = re.compile(r'<picture class="chart"><source [^>]*srcset="([^"]+)"')


class OpenPages(multiprocessing.Process):
    """Holds a stream for each cookie until it is stopped, in a process of its own: threads would delay the measurement. If it gets the
    addresses of the page's charts, everyone fetches the page and its charts again when something changed; else they only listen."""

    def __init__(self, port, cookies, charts=None):
        super().__init__(daemon=True)
        self.port, self.cookies, self.charts = port, cookies, charts
        self.stopped = multiprocessing.Event()
        self.opened, self.events, self.fetched = (multiprocessing.Value("i", 0) for _ in range(3))

    def run(self):
        asyncio.run(self.follow_all())

    async def follow_all(self):
        people = [asyncio.create_task(self.follow(cookie)) for cookie in self.cookies]
        while not self.stopped.is_set():
            await asyncio.sleep(0.1)
            for ended in (task for task in people if task.done()):
                ended.result()
                raise RuntimeError("a stream ended")
        for task in people:
            task.cancel()

    async def follow(self, cookie):
        reader, writer = await self.get(cookie, "/api/v1/stream", "text/event-stream")
        status = await reader.readline()
        assert b" 200 " in status, status
        self.opened.value += 1
        # They came at different times.
        fetched_at, due = time.perf_counter() - random.random() * WAIT_S, None
        while True:
            timeout = None if due is None else max(0, due - time.perf_counter())
            try:
                line = await asyncio.wait_for(reader.readline(), timeout)
            except asyncio.TimeoutError:
                await self.fetch(cookie)
                fetched_at, due = time.perf_counter(), None
                continue
            if not line:
                writer.close()
                return
            if line.startswith(b"event:"):
                self.events.value += 1
                if self.charts is not None and due is None:
                    due = max(fetched_at + WAIT_S, time.perf_counter()) + random.random() * WAIT_S * SPREAD

    async def fetch(self, cookie):
        """Fetch the page and its charts."""
        for path, accepted in [("/", PAGE), *((chart, "image/svg+xml,image/*") for chart in self.charts)]:
            reader, writer = await self.get(cookie, path, accepted, "Connection: close\r\n")
            status = await reader.readline()
            assert b" 200 " in status, (path, status)
            await reader.read()
            writer.close()
        self.fetched.value += 1

    async def get(self, cookie, path, accepted, more=""):
        # A line has all open alarms, or all silent devices.
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port, limit=1 << 20)
        writer.write(f"GET {path} HTTP/1.1\r\n{HEADERS}{more}Accept: {accepted}\r\nCookie: {cookie}\r\n\r\n".encode())
        return reader, writer

    def wait_until_open(self):
        while self.opened.value < len(self.cookies):
            assert self.is_alive(), "a stream was refused"
            time.sleep(0.05)

    def stop(self):
        self.stopped.set()
        self.join()
        assert self.exitcode == 0, "a stream ended, or a page was refused"


def chart_paths(page):
    """Return the addresses of the charts of a page, as a wide window shows them."""
    return [html.unescape(path) for path in CHART.findall(page)]
