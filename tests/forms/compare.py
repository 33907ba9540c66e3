#!/usr/bin/env python3
"""Compares the gateway's parsers of forms and multipart bodies with those of Python and Node.

    tests/forms/compare.py FORMS_ONCE [COUNT] [SEED]

COUNT cases of each kind are made, the same for the same seed: well-formed bodies, and bodies in which some bytes were changed.
Every body that the gateway accepts must have the same fields, with the same names and values, for every other parser. What the
gateway refuses is not compared: it is stricter. Python reads with urllib.parse.parse_qsl and email, Node with URLSearchParams
and Response.formData().
"""
import collections
import email.parser
import pathlib
import random
import re
import shutil
import subprocess
import sys
import urllib.parse

HERE = pathlib.Path(__file__).resolve().parent
TEXTS = ["", "a", "name", "b c", "x=y", "1", "é", "日本", "a+b", "100%", "a&b", "a;b", "[]", "t[0]", "\r\n", "a\nb", "\t", '"', "😀", "~!*()'"]
# Bytes that mean something to one of the parsers.
PIECES = [b"&", b"=", b"%", b"+", b";", b"%00", b"%ff", b"%C3%A9", b"\xff", b"\0", b"\r\n", b"\n", b"\r", b"--", b" ", b"\t", b'"', b"\\",
          b"a", b"\r\n\r\n", b"; ", b"name=\"x\"", b"filename=\"x\"", b"Content-Type: text/plain\r\n", b"Content-Disposition: form-data\r\n",
          b"multipart/mixed", b":", b"%22", b"%0D%0A"]
# undici accepts no others.
BOUNDARIES = ["----WebKitFormBoundary7MA4YWxkTrZu0gW", "------------------------d74496d66958873e", "a" * 70, "0123456789abcdefghijklmnopq"]


def percent(text, chance):
    """One of the ways in which clients encode a text."""
    style = chance.randrange(4)
    if style == 0:
        return urllib.parse.quote_plus(text)
    if style == 1:
        return urllib.parse.quote(text, safe="")
    if style == 2:
        return "".join(f"%{byte:02x}" for byte in text.encode())
    return "".join(c if c not in "&=%+#" else urllib.parse.quote(c, safe="") for c in text)


def make_form(chance):
    pairs = []
    for _ in range(chance.randrange(6)):
        pair = percent(chance.choice(TEXTS), chance)
        if chance.randrange(8):
            pair += "=" + percent(chance.choice(TEXTS), chance)
        pairs.append(pair)
    return "&".join(pairs).encode()


def make_multipart(chance, boundary):
    line = b"\r\n"
    delimiter = b"--" + boundary.encode()
    body = b""
    for _ in range(chance.randrange(5)):
        name = chance.choice(TEXTS).replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A").replace("\t", "")
        is_token = name.isascii() and name.isalnum()
        quote = '' if is_token and not chance.randrange(3) else '"'
        head = [f'Content-Disposition: form-data; name={quote}{name}{quote}'.encode()]
        value = chance.choice(TEXTS).encode()
        if chance.randrange(2):
            head[0] += chance.choice([b'; filename="a.bin"', b"; filename=a.bin", b"; filename=a.bin; filename*=utf-8''a.bin"])
            value = chance.randbytes(chance.randrange(20)) if chance.randrange(2) else value
        if chance.randrange(2):
            head.append(b"Content-Type: " + chance.choice([b"text/plain", b"application/octet-stream", b"image/png"]))
        if not chance.randrange(6):
            head.append(b"X-More: 1")
        if not chance.randrange(3):
            head.append(b"Content-Length: %d" % (len(value) + (0 if chance.randrange(4) else 9)))
        chance.shuffle(head)
        body += delimiter + line + line.join(head) + line + line + value + line
    return body + delimiter + b"--" + line * chance.randrange(3)


def change(body, chance, pieces):
    body = bytearray(body)
    for _ in range(chance.randrange(1, 4)):
        at = chance.randrange(len(body) + 1)
        action = chance.randrange(3)
        if action == 0:
            del body[at:at + chance.randrange(1, 4)]
        elif action == 1:
            body[at:at] = chance.choice(pieces)
        else:
            body[at:at + 1] = chance.choice(pieces)
    return bytes(body)


def cases(count, seed):
    chance = random.Random(seed)
    for number in range(count):
        body = make_form(chance)
        if number % 2:
            body = change(body, chance, PIECES)
        yield ("form", None, body)
    for number in range(count):
        boundary = chance.choice(BOUNDARIES)
        body = make_multipart(chance, boundary)
        if number % 2:
            body = change(body, chance, PIECES + [b"--" + boundary.encode()])
        yield ("multipart", boundary, body)


def python_form(body):
    text = body.decode(errors="replace")
    return [(name.encode(), value.encode()) for name, value in urllib.parse.parse_qsl(text, keep_blank_values=True)]


def python_multipart(boundary, body):
    text = body.decode(errors="surrogateescape")
    message = email.parser.Parser().parsestr(f"Content-Type: multipart/form-data; boundary={boundary}\r\n\r\n{text}")
    fields = []
    for part in message.get_payload() if message.is_multipart() else []:
        name = part.get_param("name", header="content-disposition")
        name = name.encode(errors="surrogateescape") if isinstance(name, str) else b"?"
        # email knows nothing of these, which browsers write (HTML Living Standard, 4.10.21.8).
        for code, byte in ((b"%22", b'"'), (b"%0D", b"\r"), (b"%0A", b"\n"), (b"%0d", b"\r"), (b"%0a", b"\n")):
            name = name.replace(code, byte)
        value = part._payload  # get_payload() would decode it
        fields.append((name, value.encode(errors="surrogateescape") if isinstance(value, str) else b"?"))
    return fields


def python_line(kind, boundary, body):
    fields = python_form(body) if kind == "form" else python_multipart(boundary, body)
    return "read" + "".join(f" {name.hex()}={value.hex()}" for name, value in fields)


def ask(command, text):
    result = subprocess.run(command, input=text, capture_output=True, text=True, timeout=120, check=True)
    return result.stdout.splitlines()


def has_bytes_as_text(line):
    """Whether a value is not UTF-8: Response.formData() makes a text of each part without a file name."""
    for field in line.split()[1:]:
        try:
            bytes.fromhex(field.split("=")[1]).decode()
        except UnicodeDecodeError:
            return True
    return False


def is_left_out(boundary, body, line):
    """What Node's parser of multipart bodies refuses as a whole: a part that holds the boundary without its two hyphens, values of
    Content-Disposition without quotes, lines behind the last boundary."""
    bare = boundary.encode()
    is_unquoted = re.search(rb"(?i);\s*(file)?name(\*|=[^\"])", body) is not None
    return has_bytes_as_text(line) or body.count(bare) != body.count(b"--" + bare) or is_unquoted or body.endswith(b"--" + b"\r\n" * 2)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 2000
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    made = list(cases(count, seed))
    text = "".join(f"{kind} {boundary + ' ' if boundary else ''}{body.hex()}\n" for kind, boundary, body in made)
    ours = ask([sys.argv[1]], text)
    node = ask(["node", str(HERE / "other_parsers.mjs")], text) if shutil.which("node") else None
    counts = collections.Counter()
    differences = 0
    for number, (kind, boundary, body) in enumerate(made):
        counts[kind] += 1
        if not ours[number].startswith("read"):
            continue
        counts[f"{kind} accepted"] += 1
        others = {"Python": python_line(kind, boundary, body)}
        if node is not None and not (kind == "multipart" and is_left_out(boundary, body, ours[number])):
            others["Node"] = node[number]
        for name, theirs in others.items():
            counts[f"{kind} compared with {name}"] += 1
            if theirs == ours[number]:
                continue
            differences += 1
            print(f"{name} reads {kind} {body!r} differently:\n    ours   {ours[number]}\n    theirs {theirs}")
    print(", ".join(f"{value} {name}" for name, value in sorted(counts.items())) + f", {differences} differences")
    if node is None:
        print("skipped: this machine has no node")
    sys.exit(1 if differences else 0)


if __name__ == "__main__":
    main()
