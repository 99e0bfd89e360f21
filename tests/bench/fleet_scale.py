"""How many agents one coordinator can follow: it runs a plan over 10, 100 and 1000 simulated ones,
each of which sends a snapshot a second, of a transaction and the eleven kinds of statement of
oltp_read_write.

The coordinator has one core and the agents another. All agents hand in their snapshots at the same
instant, as those of a real fleet do; but here one core has to make all of them, and the delay until
they are merged has that in it.
"""

import bisect
import contextlib
import json
import pathlib
import subprocess
import tempfile
import time

import harness
from harness import BenchError

SIMULATED_AGENTS = harness.BUILD / "tests" / "bench" / "simulated_agents" / "simulated_agents"
COORDINATOR_CPU, AGENTS_CPU = 0, 1

TRANSACTIONS = 500  # a second and agent
SAMPLE_SECONDS = 0.1
# Beside the measured seconds: connecting, arming, storing.
LIMIT_SECONDS = 120

# From the design, for the largest fleet. One of its agents may cost no more than one of the fleet
# that it is compared with.
LARGEST, COMPARED = 1000, 100
TARGETS = {"coordinator_cores": 0.6, "rss_mib": 1024, "merge_delay_p99_ms": 1000}
COST = "coordinator_us_per_agent_second"

COLUMNS = {
    "coordinator_cores": "cores",
    COST: "us/agent/s",
    "rss_mib": "RSS MiB",
    "snapshot_bytes": "snapshot B",
    "merge_delay_p50_ms": "delay p50 ms",
    "merge_delay_p99_ms": "p99 ms",
    "start_spread_ms": "spread ms",
    "clock_error_ms": "clocks ms",
    "seconds_to_start": "start s",
}


class SimulatedAgents:
    """Agents in one process; a context manager."""

    def __init__(self, count):
        self.count = count

    def __enter__(self):
        self.process = harness.start(
            harness.pinned(AGENTS_CPU, SIMULATED_AGENTS, "--agents", self.count,
                           "--transactions", TRANSACTIONS),
            stdout=subprocess.PIPE,
        )
        self.addresses = [self.process.stdout.readline().strip() for _ in range(self.count)]
        if not all(self.addresses):
            raise BenchError("the simulated agents did not start")
        return self

    def __exit__(self, *_):
        harness.stop(self.process)
        self.process.stdout.close()

    def end(self):
        """What they tell in the end."""
        self.process.terminate()
        return json.loads(self.process.stdout.readline())


class Coordinator:
    """One run of a plan, watched until its end. Times are seconds of the steady clock."""

    def __init__(self, folder, plan):
        # YAML is a superset of JSON.
        (folder / "plan.yaml").write_text(json.dumps(plan))
        self.started = time.monotonic()
        self.cpu_samples = []  # (when, CPU seconds so far)
        self.peak_rss_kib = 0
        with open(folder / "coordinator.log", "w") as log:
            process = harness.start(
                harness.pinned(COORDINATOR_CPU, harness.COORDINATOR, "run", "plan.yaml"),
                cwd=folder, stdout=log, stderr=subprocess.STDOUT,
            )
        try:
            self.watch(process, self.started + plan["run"]["time"] + LIMIT_SECONDS)
        finally:
            harness.stop(process)
        if process.returncode != 0:
            told = (folder / "coordinator.log").read_text()
            raise BenchError(f"the coordinator ended with {process.returncode}:\n{told}")
        (path,) = folder.glob("results/*/result.json")
        self.result = json.loads(path.read_text())

    def watch(self, process, deadline):
        while process.poll() is None:
            if time.monotonic() > deadline:
                raise BenchError("the coordinator does not come to an end")
            self.cpu_samples.append((time.monotonic(), harness.cpu_seconds(process.pid)))
            # It may have ended meanwhile.
            with contextlib.suppress(BenchError, OSError):
                self.peak_rss_kib = harness.peak_rss_kib(process.pid)
            time.sleep(SAMPLE_SECONDS)

    def cpu_at(self, when):
        """Between two samples as if it had gone by evenly."""
        i = bisect.bisect(self.cpu_samples, (when,))
        if not 0 < i < len(self.cpu_samples):
            raise BenchError("the coordinator was not watched for long enough")
        (before, low), (after, high) = self.cpu_samples[i - 1], self.cpu_samples[i]
        return low + (high - low) * (when - before) / (after - before)


def plan_for(addresses, seconds):
    return {
        "name": "fleet-scale",
        "agents": addresses,
        # Nobody connects to it.
        "database": {"driver": "postgresql", "nodes": ["127.0.0.1:5432"]},
        "dataset": {"existing": "on"},
        "run": {
            "workloads": ["oltp_read_write"],
            "threads": len(addresses),
            "warmup_time": 1,
            "time": seconds,
        },
    }


def check(cell, count, seconds):
    """The figures are worth something only where nothing was lost."""
    expected = count * seconds * TRANSACTIONS
    if cell["status"] != "complete" or cell["transactions"] != expected:
        raise BenchError(
            f"the cell is {cell['status']} with {cell['transactions']} transactions, expected"
            f" {expected}: {cell['problem']}"
        )
    if [window["second"] for window in cell["windows"]] != list(range(seconds + 1)):
        raise BenchError("a window is missing")


def percentile(values, percent):
    return sorted(values)[min(len(values) - 1, int(len(values) * percent / 100))]


def measure(count, seconds):
    with tempfile.TemporaryDirectory(prefix="sysfleet-bench-") as folder:
        with SimulatedAgents(count) as agents:
            run = Coordinator(pathlib.Path(folder), plan_for(agents.addresses, seconds))
            told = agents.end()
    (cell,) = run.result["cells"]
    check(cell, count, seconds)
    # Snapshots come at whole seconds: from between two of the first to between two of the last.
    start = told["first_start_ns"] / 1e9
    begin, end = start + 1.5, start + seconds + 0.5
    cores = (run.cpu_at(end) - run.cpu_at(begin)) / (end - begin)
    delays_ms = [window["merged_after_ms"] for window in cell["windows"]]
    round_trips_ms = [agent["clock_round_trip_ms"] for agent in run.result["agents"]]
    return {
        "coordinator_cores": round(cores, 4),
        COST: round(cores / count * 1e6, 1),
        "rss_mib": round(run.peak_rss_kib / 1024, 1),
        "snapshot_bytes": told["snapshot_bytes"],
        "merge_delay_p50_ms": round(percentile(delays_ms, 50), 1),
        "merge_delay_p99_ms": round(percentile(delays_ms, 99), 1),
        "start_spread_ms": round(cell["start_spread_ms"], 2),
        "clock_error_ms": round(max(round_trips_ms) / 2, 3),
        "seconds_to_start": round(start - run.started, 2),
    }


def row(count, cells):
    columns = zip(cells, COLUMNS.values())
    return f"{count:>6}  " + "  ".join(f"{cell:>{len(head)}}" for cell, head in columns)


def print_targets(figures):
    targets = dict(TARGETS)
    if f"agents.{COMPARED}.{COST}" in figures:
        targets[COST] = figures[f"agents.{COMPARED}.{COST}"]
    if f"agents.{LARGEST}.{COST}" not in figures:
        return
    print(f"\n{LARGEST} agents                         measured   target")
    for figure, target in targets.items():
        value = figures[f"agents.{LARGEST}.{figure}"]
        print(f"{figure:<34} {value:>10}  <= {target:<8} {'' if value <= target else 'missed'}")


def main():
    parser = harness.arguments(__doc__)
    parser.add_argument("--agents", type=int, nargs="+", help="fleets of these sizes")
    parser.add_argument("--time", type=int, default=20, help="measured seconds, default 20")
    options = parser.parse_args()
    sizes = options.agents or ([10, 100] if options.quick else [10, COMPARED, LARGEST])
    figures = {}
    print(row("agents", COLUMNS.values()), flush=True)
    for count in sizes:
        measured = measure(count, options.time)
        print(row(count, measured.values()), flush=True)
        figures.update({f"agents.{count}.{figure}": value for figure, value in measured.items()})
    print_targets(figures)
    harness.write_json("fleet_scale.json", figures)


if __name__ == "__main__":
    harness.main(main)
