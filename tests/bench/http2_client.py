"""A client of HTTP/2 that asks as the measurements here do, and reads no more of responses than they need."""
import base64
import sys

import gateway


def frame(kind, flags, stream, payload=b""):
    """RFC 9113, 4.1."""
    return len(payload).to_bytes(3, "big") + bytes([kind, flags]) + stream.to_bytes(4, "big") + payload


def field(first, name, value):
    """RFC 7541, 6.2: a literal whose name is entry `name` of the static table, or a text; `first`: 0x40, to index it, or 0."""
    def number(begin, most, n):
        if n < most:
            return bytes([begin | n])
        out, n = bytes([begin | most]), n - most
        while n >= 128:
            out, n = out + bytes([n % 128 | 128]), n // 128
        return out + bytes([n])
    most = 63 if first else 15
    head = number(first, most, name) if isinstance(name, int) else bytes([first]) + number(0, 127, len(name)) + name.encode()
    return head + number(0, 127, len(value)) + value.encode()


class Client:
    """What a client sends: what is the same in each request comes from the table, as clients do it."""

    def __init__(self, kind):
        method, self.path, self.body, status = gateway.KINDS[kind]
        proof = base64.b64encode(f"counter:{gateway.SECRET}".encode()).decode()
        usual = [(1, "localhost"), (23, f"Basic {proof}"), (19, "application/json"), (58, "count/1")]
        usual += [(31, "application/json"), (28, str(len(self.body)))] if self.body else []
        self.method = b"\x82" if method == "GET" else field(0x40, 2, method)
        self.first = [field(0x40, *one) for one in usual]
        # The newest entry is 62; the method, if it is not of the static table, is the oldest.
        self.later = [bytes([0x80 | 61 + len(usual) - i]) for i in range(len(usual))]
        self.later_method = b"\x82" if method == "GET" else bytes([0x80 | 62 + len(usual)])
        self.status = b"\x88" if status == b"200" else status

    def begin(self):
        return b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(4, 0, 0) + frame(4, 1, 0) + frame(8, 0, 0, (1 << 30).to_bytes(4, "big"))

    def request(self, stream, is_first):
        method, usual = (self.method, self.first) if is_first else (self.later_method, self.later)
        block = method + b"\x87" + field(0, 4, self.path) + b"".join(usual)
        if not self.body:
            return frame(1, 5, stream, block)
        return frame(1, 4, stream, block) + frame(0, 1, stream, self.body.encode())


def read_responses(client, wanted, status):
    """Until so many streams have ended."""
    pending, ended = b"", 0
    while ended < wanted:
        pending += client.recv(65536) or sys.exit("the gateway closed a connection")
        while len(pending) >= 9 and len(pending) >= 9 + int.from_bytes(pending[:3], "big"):
            size, kind, flags = int.from_bytes(pending[:3], "big"), pending[3], pending[4]
            payload, pending = pending[9:9 + size], pending[9 + size:]
            if kind in (3, 7) or (kind == 1 and not payload.startswith(status)):
                sys.exit(f"responded with a frame of type {kind}: {payload!r}")
            ended += kind in (0, 1) and flags & 1
