"""Sends what it is told with requests, httpx or aiohttp: a JSON object a line in, one a line out."""

import asyncio
import base64
import json
import os
import socket
import ssl
import sys
import warnings

AUTHORITY = os.environ["SALLYPORT_AUTHORITY"]
CHUNK = 16


def pieces(body):
    """What makes a library send chunks: a body of unknown length."""
    for begin in range(0, len(body), CHUNK):
        yield body[begin : begin + CHUNK]


async def pieces_in_time(body):
    for piece in pieces(body):
        yield piece


def told():
    for line in sys.stdin:
        order = json.loads(line)
        order["body"] = None if order["body"] is None else base64.b64decode(order["body"])
        yield order


def say(status, fields, body):
    response = {
        "status": status,
        "fields": [[name, value] for name, value in fields],
        "body": body.decode("utf-8", "replace"),
    }
    print(json.dumps(response), flush=True)


def say_failed(failure):
    print(json.dumps({"failed": f"{type(failure).__name__}: {failure}"}), flush=True)


def drive_requests():
    import requests

    session = requests.Session()
    session.verify = AUTHORITY
    session.trust_env = False
    for order in told():
        body = order["body"]
        try:
            response = session.request(
                order["method"],
                order["origin"] + order["target"],
                headers=dict(order["fields"]),
                data=pieces(body) if order["chunked"] else body,
                allow_redirects=False,
                timeout=25,
            )
            say(response.status_code, response.headers.items(), response.content)
        except Exception as failure:
            say_failed(failure)


def without_delay(connect):
    """The library writes head and body apart; waiting for the other side in between costs 40 ms."""

    def connect_and_set(*arguments, **options):
        connection = connect(*arguments, **options)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return connection

    return connect_and_set


def drive_httpx(with_http2):
    import httpx

    socket.create_connection = without_delay(socket.create_connection)

    with httpx.Client(verify=AUTHORITY, trust_env=False, timeout=25, http2=with_http2) as client:
        for order in told():
            body = order["body"]
            try:
                response = client.request(
                    order["method"],
                    order["origin"] + order["target"],
                    headers=[(name, value) for name, value in order["fields"]],
                    content=pieces(body) if order["chunked"] else body,
                )
                say(response.status_code, response.headers.multi_items(), response.content)
            except Exception as failure:
                say_failed(failure)


async def drive_aiohttp():
    import aiohttp
    from yarl import URL

    context = ssl.create_default_context(cafile=AUTHORITY)
    connector = aiohttp.TCPConnector(ssl=context)
    timeout = aiohttp.ClientTimeout(total=25)
    async with aiohttp.ClientSession(connector=connector, timeout=timeout) as session:
        for order in told():
            body = order["body"]
            try:
                async with session.request(
                    order["method"],
                    URL(order["origin"] + order["target"], encoded=True),
                    headers=[(name, value) for name, value in order["fields"]],
                    data=pieces_in_time(body) if order["chunked"] else body,
                    allow_redirects=False,
                ) as response:
                    say(response.status, response.headers.items(), await response.read())
            except Exception as failure:
                say_failed(failure)


def main():
    warnings.simplefilter("ignore")  # of the libraries about each other
    library = sys.argv[1]
    if library == "requests":
        drive_requests()
    elif library in ("httpx", "httpx-http2"):
        drive_httpx(with_http2=library == "httpx-http2")
    elif library == "aiohttp":
        asyncio.run(drive_aiohttp())
    else:
        sys.exit(f"no library {library}")


main()
