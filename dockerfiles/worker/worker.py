"""Scores a request with the vector kernel."""

import ctypes
import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

KERNEL = ctypes.CDLL("/usr/local/lib/libdot.so")
KERNEL.dot_variant.restype = ctypes.c_char_p
LONGEST_REQUEST = 1 << 20


def score(text):
    """The dot product of the text with itself, byte by byte."""
    vector = (ctypes.c_int8 * len(text))(*(byte - 128 for byte in text))
    return KERNEL.dot(vector, vector, ctypes.c_size_t(len(text)))


class Worker(BaseHTTPRequestHandler):
    """Answers with a score and the loop that made it."""

    def do_POST(self):
        length = min(int(self.headers.get("Content-Length", 0)), LONGEST_REQUEST)
        body = {"score": score(self.rfile.read(length)), "kernel": KERNEL.dot_variant().decode()}
        content = json.dumps(body).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


if __name__ == "__main__":
    if "--once" in sys.argv:
        print(KERNEL.dot_variant().decode(), score(b"hello"))
    else:
        ThreadingHTTPServer(("", 9000), Worker).serve_forever()
