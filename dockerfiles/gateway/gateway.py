"""Takes completion requests and hands them to the workers in turn."""

import itertools
import json
import os
import sys
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

WORKERS = itertools.cycle(os.environ.get("WORKERS", "http://127.0.0.1:9000").split(","))
LONGEST_REQUEST = 1 << 20


class Gateway(BaseHTTPRequestHandler):
    """One request in, one worker asked, its answer out."""

    def do_GET(self):
        self.answer(200, {"status": "ok"})

    def do_POST(self):
        length = int(self.headers.get("Content-Length", 0))
        if length > LONGEST_REQUEST:
            self.answer(413, {"error": "request too large"})
            return
        request = urllib.request.Request(next(WORKERS) + self.path, data=self.rfile.read(length), method="POST")
        with urllib.request.urlopen(request, timeout=60) as response:
            self.answer(response.status, json.load(response))

    def answer(self, status, body):
        content = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


if __name__ == "__main__":
    if "--check" in sys.argv:
        sys.exit(urllib.request.urlopen("http://127.0.0.1:8080/", timeout=3).status != 200)
    ThreadingHTTPServer(("", 8080), Gateway).serve_forever()
