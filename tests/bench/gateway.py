"""The gateway as the measurements here start it, its clients of HTTP/1.1 and HTTP/2, and its upstream."""
import base64
import contextlib
import os
import pathlib
import re
import socket
import ssl
import subprocess
import sys
import threading
import time
from typing import NamedTuple

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
START_SECONDS = 300  # 100,000 credentials are read under valgrind
FILES = {"credentials": "credentials.yaml", "configuration": "sallyport.yaml"}
SECRET = "an-instruction-count-0123456789"
UUID = "11111111-2222-4333-8444-555555555555"
ROOT_PATH = f"/v1/organizations/{UUID}/services/{UUID}"
SETTINGS = (
    '{"streaming_max_insert_wait_ms":5000,"object_storage_concurrency":4,"object_storage_polling_interval_ms":30000,'
    '"object_storage_max_insert_bytes":10737418240,"object_storage_max_file_count":100,"db_max_threads":8,'
    '"db_max_insert_threads":2,"db_min_insert_block_size_bytes":1073741824,"db_max_download_threads":4,'
    '"db_parallel_distributed_insert_select":2,"object_storage_use_cluster_function":true,"db_parallel_view_processing":false}')
# As large as the bodies of w3 (tests/bench/contract_bodies.cpp has the same one).
CREATE = (
    '{"name": "svc 1", "provider": "aws", "region": "eu-west-1", "minReplicaMemoryGb": 16, "maxReplicaMemoryGb": 120, '
    '"numReplicas": 3, "idleScaling": true, "idleTimeoutMinutes": 15, "ipAccessList": ['
    + ", ".join(f'{{"source": "10.{i}.17.0/24", "description": "office number {i}"}}' for i in range(26))
    + '], "privateEndpointIds": ["vpce-0a1b2c3d4e5f60718", "vpce-0a1b2c3d4e5f60719"], "releaseChannel": "default", '
    '"endpoints": [{"protocol": "mysql", "enabled": false}], "tags": {'
    + ", ".join(f'"k{i}": "v0.8444218515250{i}"' for i in range(12)) + "}}")

CONFIGURATION = """
listeners:
  - name: public
    address: 127.0.0.1:0
    tls: { certificates: [ { certificate: server.pem, private_key: server.key } ] }
workers: 1
credentials: { file: credentials.yaml }
upstreams: { upstream: { endpoints: ["http://127.0.0.1:PORT"] } }
apis: { management: { contract: CONTRACT, upstream: upstream, authenticate: [basic] } }
access_log: { output: access.log, bodies: { requests: BODIES } }
"""
# What is asked, with which body, and the status that says that it was done. `h2_KIND` is the same over HTTP/2.
KINDS = {
    "put": ("PUT", f"{ROOT_PATH}/datapipes/{UUID}/settings", SETTINGS, b"200"),
    "post": ("POST", f"/v1/organizations/{UUID}/services", CREATE, b"200"),
    "logged": ("POST", f"/v1/organizations/{UUID}/services", CREATE, b"200"),  # the body too
    "get": ("GET", f"{ROOT_PATH}/backups", "", b"200"),
    "unauthenticated": ("GET", f"{ROOT_PATH}/backups", "", b"401"),
    "refused": ("PUT", f"{ROOT_PATH}/datapipes/{UUID}/settings", SETTINGS.replace('"db_max_threads":8', '"db_max_threads":65'), b"400"),
}


def request(kind):
    proof = base64.b64encode(f"counter:{SECRET if kind != 'unauthenticated' else 'wrong'}".encode()).decode()
    method, path, body, _ = KINDS[kind]
    head = f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Basic {proof}\r\nAccept: application/json\r\n"
    if body:
        head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
    return (head + "User-Agent: count/1\r\n\r\n" + body).encode()


class Upstream:
    """Sends the same response to every request: its instructions are not counted."""

    def __init__(self):
        self.listening = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = self.listening.getsockname()[1]
        self.response = b'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 230\r\n\r\n"' + b"x" * 228 + b'"'
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            connection, _ = self.listening.accept()
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        pending = b""
        with contextlib.suppress(ConnectionError):  # a gateway that was killed
            while data := connection.recv(65536):
                pending = self.respond(connection, pending + data)

    def respond(self, connection, pending):
        """To each request that is complete; what is left of the last one."""
        while b"\r\n\r\n" in pending:
            head, rest = pending.split(b"\r\n\r\n", 1)
            size = content_length(head)
            if len(rest) < size:
                break
            pending = rest[size:]
            connection.sendall(self.response)
        return pending


def prepare(folder, build):
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
                    "-subj", "/CN=localhost", "-keyout", "server.key", "-out", "server.pem"],
                   cwd=folder, check=True, capture_output=True)
    digest = subprocess.run([build / "sallyport", "credential", "hash"], input=SECRET, capture_output=True, text=True,
                            check=True).stdout.strip()
    (folder / "credentials.yaml").write_text(
        f'credentials:\n  - name: counter\n    basic: {{ key_id: counter, secrets: ["{digest}"] }}\n    allow: all\n')


def configuration(port, contract, bodies="none"):
    return CONFIGURATION.replace("PORT", str(port)).replace("CONTRACT", str(contract)).replace("BODIES", bodies)


def configure(folder, port, kind):
    text = configuration(port, ROOT / "config/contracts/management.yaml", "all" if kind == "logged" else "none")
    (folder / "sallyport.yaml").write_text(text)


def wait_for_port(log, process):
    limit = time.monotonic() + START_SECONDS
    while time.monotonic() < limit and process.poll() is None:
        found = re.search(r"listening listener=public address=\S+:(\d+)\n.* ready\n", log.read_text(), re.DOTALL)
        if found:
            return int(found[1])
        time.sleep(0.05)
    sys.exit(f"the gateway does not start:\n{log.read_text()}")


class Usage(NamedTuple):
    memory: int  # resident, KiB
    processor: float  # seconds until now, user and system, of all threads


def usage(process):
    """Of one that runs."""
    of_process = pathlib.Path(f"/proc/{process.pid}")
    resident = next(line for line in (of_process / "status").read_text().split("\n") if line.startswith("VmRSS"))
    fields = (of_process / "stat").read_text().rsplit(")", 1)[1].split()  # the name before may have spaces
    return Usage(int(resident.split()[1]), (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"))


def context_of_client():
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    return context


def content_length(head):
    length = re.search(rb"(?i)content-length: *(\d+)", head)
    return int(length[1]) if length else 0


@contextlib.contextmanager
def running(folder, command):
    """The gateway, and its port."""
    log = folder / "gateway.log"
    with open(log, "w", encoding="utf-8") as errors:
        process = subprocess.Popen([*command, "run", "-c", FILES["configuration"]], cwd=folder, stderr=errors,
                                   stdout=subprocess.DEVNULL)
    try:
        yield process, wait_for_port(log, process)
    finally:
        process.kill()
        process.wait()


@contextlib.contextmanager
def connected(port, number, protocols=("http/1.1",)):
    """Clients over TLS."""
    context = context_of_client()
    context.set_alpn_protocols(list(protocols))
    with contextlib.ExitStack() as all_of_them:
        yield [all_of_them.enter_context(context.wrap_socket(socket.create_connection(("127.0.0.1", port)))) for _ in range(number)]


def read_response(client, status=b"200"):
    response = b""
    while b"\r\n\r\n" not in response:
        response += client.recv(65536) or sys.exit("the gateway closed a connection")
    head, body = response.split(b"\r\n\r\n", 1)
    while len(body) < content_length(head):
        body += client.recv(65536) or sys.exit("the gateway closed a connection")
    if head.split(b" ")[1] != status:
        sys.exit(f"responded {head!r} {body!r}")
