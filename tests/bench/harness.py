"""What the measurements of this folder share: the programs, a null server, and how a client's cost
is taken from outside, in the same way for every client.

Everything is on loopback, ends with the script, and is stopped by its process id.
"""

import argparse
import contextlib
import json
import os
import pathlib
import signal
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("SYSFLEET_BUILD", ROOT / "build" / "release"))
RESULTS = pathlib.Path(os.environ.get("SYSFLEET_BENCH_RESULTS", ROOT / "build" / "bench"))

COORDINATOR = BUILD / "coordinator" / "coordinator"
AGENT = BUILD / "agent" / "agent"
NULL_SERVER = BUILD / "tests" / "bench" / "null_server" / "null_server"
FLOOR = BUILD / "tests" / "bench" / "floor" / "floor"

# The client has one core; whatever it talks to has the other.
SERVER_CPU = 0
CLIENT_CPU = 1

FAMILIES = {"pg": "postgresql", "mysql": "mysql"}
TABLE_SIZE = 100_000


class BenchError(Exception):
    pass


def pinned(cpu, *arguments):
    return ["taskset", "-c", str(cpu), *map(str, arguments)]


def start(arguments, **options):
    return subprocess.Popen(arguments, text=True, **options)


def stop(process):
    """Ends a process and waits for its end."""
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def wait_until(condition, what, seconds=60):
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise BenchError(f"{what}: not within {seconds} s")
        time.sleep(0.02)


def cpu_seconds(pid):
    """CPU time of all threads of a process so far, in nanosecond steps (schedstat)."""
    total = 0
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        with contextlib.suppress(OSError):
            total += int((task / "schedstat").read_text().split()[0])
    return total / 1e9


def peak_rss_kib(pid):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1])
    raise BenchError(f"process {pid} has no memory figure")


class NullServer:
    """A null server on a free port; a context manager."""

    def __init__(self, family, delay_us=0, cpu=SERVER_CPU):
        self.family = family
        self.arguments = pinned(
            cpu, NULL_SERVER, "--family", FAMILIES[family], "--delay-us", delay_us
        )

    def __enter__(self):
        self.process = start(self.arguments, stdout=subprocess.PIPE)
        line = self.process.stdout.readline()
        if not line.startswith("port="):
            raise BenchError("the null server did not start")
        self.port = int(line[len("port=") :])
        return self

    def __exit__(self, *_):
        stop(self.process)
        self.process.stdout.close()

    def report(self):
        self.process.send_signal(signal.SIGUSR1)
        return json.loads(self.process.stdout.readline())


class Client:
    """A client under way; a context manager. `pid` is the process whose cost is taken."""

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="sysfleet-bench-")
        self.path = pathlib.Path(self.folder.name)
        self.processes = []
        self.begin()
        return self

    def __exit__(self, *_):
        for process in reversed(self.processes):
            stop(process)
        self.folder.cleanup()

    def launch(self, arguments, name):
        log = open(self.path / f"{name}.log", "w")
        process = start(arguments, stdout=log, stderr=subprocess.STDOUT, cwd=self.path)
        log.close()
        self.processes.append(process)
        return process

    def check(self):
        for process in self.processes:
            if process.poll() is not None:
                logs = "\n".join(path.read_text() for path in self.path.glob("*.log"))
                raise BenchError(f"{type(self).__name__} ended early:\n{logs}")


class AgentClient(Client):
    """Our agent with one event loop, told what to do by a coordinator on the server's core."""

    name = "agent"
    percentiles = [50, 99]

    def __init__(self, server, workload, connections, seconds):
        self.server, self.workload = server, workload
        self.connections, self.seconds = connections, seconds

    def begin(self):
        announce = self.path / "agent.address"
        agent = self.launch(
            pinned(CLIENT_CPU, AGENT, "--listen", "127.0.0.1:0", "--announce", announce,
                   "--reactors", 1),
            "agent",
        )
        self.pid = agent.pid
        wait_until(announce.exists, "the agent's start")
        plan = {
            "name": "bench",
            "agents": [announce.read_text().strip()],
            "database": {
                "driver": FAMILIES[self.server.family],
                "nodes": [f"127.0.0.1:{self.server.port}"],
            },
            "dataset": {"existing": "on", "tables": 1, "table_size": TABLE_SIZE},
            "run": {
                "workloads": [self.workload],
                "threads": self.connections,
                "time": self.seconds,
                "thread_init_timeout": 120,
            },
            "report": {"percentiles": self.percentiles},
        }
        # YAML is a superset of JSON.
        (self.path / "plan.yaml").write_text(json.dumps(plan))
        self.launch(pinned(SERVER_CPU, COORDINATOR, "run", "plan.yaml"), "coordinator")

    def result(self):
        """The stored result, once the run has ended."""
        self.processes[1].wait(timeout=self.seconds + 60)
        (path,) = self.path.glob("results/*/result.json")
        return json.loads(path.read_text())


class SysbenchClient(Client):
    name = "sysbench"

    def __init__(self, server, workload, connections, seconds, extra=()):
        self.server, self.workload = server, workload
        self.connections, self.seconds, self.extra = connections, seconds, extra

    def begin(self):
        driver = {"pg": "pgsql", "mysql": "mysql"}[self.server.family]
        sysbench = self.launch(
            pinned(
                CLIENT_CPU, "sysbench", f"--db-driver={driver}", f"--{driver}-host=127.0.0.1",
                f"--{driver}-port={self.server.port}", f"--{driver}-user=sbtest",
                f"--{driver}-db=sbtest", "--tables=1", f"--table-size={TABLE_SIZE}",
                f"--threads={self.connections}", f"--time={self.seconds}",
                *self.extra, self.workload, "run",
            ),
            "sysbench",
        )
        self.pid = sysbench.pid

    def output(self):
        self.processes[0].wait(timeout=self.seconds + 60)
        return (self.path / "sysbench.log").read_text()


class PgbenchClient(Client):
    name = "pgbench"
    # Its ceiling is what select() can hold.
    connections_max = 1000

    def __init__(self, server, workload, connections, seconds):
        assert workload == "oltp_point_select"
        self.server, self.seconds = server, seconds
        self.connections = min(connections, self.connections_max)

    def begin(self):
        script = self.path / "point_select.sql"
        script.write_text(
            f"\\set id random(1, {TABLE_SIZE})\nSELECT c FROM sbtest1 WHERE id = :id\n"
        )
        pgbench = self.launch(
            pinned(
                CLIENT_CPU, "pgbench", "-n", "-M", "prepared", "-f", script, "-h", "127.0.0.1",
                "-p", self.server.port, "-U", "sbtest", "-c", self.connections, "-j", 1, "-T",
                self.seconds, "sbtest",
            ),
            "pgbench",
        )
        self.pid = pgbench.pid


class FloorClient(Client):
    """Pre-encoded messages on raw sockets."""

    name = "floor"

    def __init__(self, server, workload, connections, seconds):
        self.server, self.workload = server, workload
        self.connections, self.seconds = connections, seconds

    def begin(self):
        floor = self.launch(
            pinned(
                CLIENT_CPU, FLOOR, "--family", FAMILIES[self.server.family], "--port",
                self.server.port, "--workload", self.workload, "--connections", self.connections,
                "--seconds", self.seconds,
            ),
            "floor",
        )
        self.pid = floor.pid


def wait_for_load(server, client):
    """Until all connections execute: what connecting costs is not wanted."""
    begin = server.report()["statements"]

    def flowing():
        client.check()
        return server.report()["statements"] - begin > 20 * client.connections

    wait_until(flowing, f"load of {client.name} on {client.connections} connections", 150)
    time.sleep(0.3)


def measure(server, client, seconds):
    """Statements per second, and the client's CPU time for each, in steady state."""
    wait_for_load(server, client)
    first, cpu_first = server.report(), cpu_seconds(client.pid)
    time.sleep(seconds)
    last, cpu_last = server.report(), cpu_seconds(client.pid)
    client.check()
    statements = last["statements"] - first["statements"]
    elapsed = (last["time_ns"] - first["time_ns"]) / 1e9
    cpu = cpu_last - cpu_first
    if statements == 0 or cpu == 0:
        raise BenchError(f"{client.name}: nothing was executed")
    return {
        "qps": statements / elapsed,
        "qps_per_core": statements / cpu,
        "cpu_us": cpu / statements * 1e6,
        "busy": cpu / elapsed,
    }


def median(values):
    return statistics.median(values)


def write_json(name, figures):
    RESULTS.mkdir(parents=True, exist_ok=True)
    path = RESULTS / name
    path.write_text(json.dumps(figures, indent=2) + "\n")
    print(f"\nfigures    {path}")


def arguments(description, **kwargs):
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter, **kwargs
    )
    parser.add_argument("--quick", action="store_true", help="less of everything: about a minute")
    return parser


def main(function):
    """Runs a script; an error of a measurement is told without a trace."""
    try:
        sys.exit(function())
    except BenchError as error:
        sys.exit(f"error: {error}")
