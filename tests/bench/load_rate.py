"""How fast tables are filled: `coordinator prepare` with an agent on this machine, beside
`sysbench prepare` and beside the database's own client that loads the same rows from files, each
with two connections, into a throw-away server.

A time is that of the whole command, from its start to its end: connecting, CREATE TABLE, the rows,
CREATE INDEX. Ours has in it what goes on between coordinator and agent, the look at what is there,
the record of each chunk in its transaction, setting the counters, and counting the rows at the end;
the others have none of that. The agent has been started before, as on a client machine of a fleet.
The database's own client (psql with \\copy, mariadb with LOAD DATA LOCAL) is two processes at a
time, which create the tables, load files of ready rows and build the indexes, and check nothing;
making the files is not in its time.

All of a line are measured in turn, round after round, on a database made anew; the medians are
shown. Client and server share this machine, so that only ratios say something.
"""

import collections
import contextlib
import json
import os
import resource
import subprocess
import tempfile
import time
from pathlib import Path

import harness
from database_server import SERVERS
from harness import BenchError

CONNECTIONS = 2
# A command that hangs is broken off.
SECONDS_MAX = 300


class Shape(collections.namedtuple("Shape", "tables table_size")):
    @property
    def name(self):
        return f"{self.tables}x{self.table_size // 1000}k"

    @property
    def rows(self):
        return self.tables * self.table_size


# How many times as fast, at least; and how many times the time, at most. Key: family, tables, ours.
FASTER_THAN_SYSBENCH = {
    ("pg", 4, "copy"): 1.8,
    ("pg", 1, "copy"): 2.5,
    ("mysql", 4, "insert"): 1.1,
    ("mysql", 4, "local_infile"): 1.25,
    ("mysql", 1, "insert"): 1.4,
    ("mysql", 1, "local_infile"): 1.4,
}
TIMES_THE_CLIENT = {("pg", 4, "copy"): 1.15, ("pg", 1, "copy"): 1.15}
METHODS = {"pg": ["copy"], "mysql": ["insert", "local_infile"]}
CLIENT_NAMES = {"pg": "psql", "mysql": "mariadb"}
CLIENT_STATEMENTS = {"pg": "copy", "mysql": "load_data"}


def execute(arguments, folder, environment):
    """Runs commands side by side to their ends."""
    processes = []
    with contextlib.ExitStack() as stack:
        for number, one in enumerate(arguments):
            log = stack.enter_context(open(folder / f"{number}.log", "w+"))
            process = harness.start(
                one, stdout=log, stderr=subprocess.STDOUT, cwd=folder, env=environment
            )
            stack.callback(harness.stop, process)
            processes.append((process, log))
        for process, log in processes:
            try:
                code = process.wait(timeout=SECONDS_MAX)
            except subprocess.TimeoutExpired as error:
                raise BenchError(f"{error.cmd[0]}: not within {SECONDS_MAX} s") from error
            if code != 0:
                log.seek(0)
                raise BenchError(f"{process.args[0]} failed:\n{log.read()}")


class OurLoad:
    """The coordinator, and an agent that was there before."""

    def __init__(self, method, agent):
        self.name = method
        self.agent = agent

    def load(self, server, shape, folder):
        plan = {
            "agents": [self.agent],
            "database": {
                "driver": server.driver,
                "nodes": f"127.0.0.1:{server.port}",
                "password": "${env:BENCH_PASSWORD}",
            },
            "dataset": {"tables": shape.tables, "table_size": shape.table_size},
            "load": {"threads": CONNECTIONS, "method": self.name},
        }
        # YAML is a superset of JSON.
        (folder / "plan.yaml").write_text(json.dumps(plan))
        environment = {**os.environ, "BENCH_PASSWORD": server.password}
        execute([[harness.COORDINATOR, "prepare", "plan.yaml"]], folder, environment)


class SysbenchLoad:
    name = "sysbench"

    def load(self, server, shape, folder):
        driver = server.sysbench_driver
        command = [
            "sysbench", f"--db-driver={driver}", f"--{driver}-host=127.0.0.1",
            f"--{driver}-port={server.port}", f"--{driver}-user=sbtest",
            f"--{driver}-password={server.password}", f"--{driver}-db=sbtest",
            f"--tables={shape.tables}", f"--table-size={shape.table_size}",
            f"--threads={CONNECTIONS}", "oltp_read_write", "prepare",
        ]
        execute([command], folder, os.environ)


class ClientLoad:
    """The database's own client, two processes at a time, with files of ready rows."""

    def __init__(self, name, scripts):
        self.name = name
        self.scripts = scripts

    def load(self, server, shape, folder):
        for step in self.scripts:
            commands = []
            for number, sql in enumerate(step):
                script = folder / f"{number}.sql"
                script.write_text("\n".join(sql) + "\n")
                commands.append(["sh", "-c", 'file=$1; shift; exec "$@" <"$file"', "sh", script,
                                 *server.client()])
            execute(commands, folder, server.environment())


def create_sql(server, table):
    number = "SERIAL" if server.driver == "postgresql" else "INTEGER NOT NULL AUTO_INCREMENT"
    return (
        f"CREATE TABLE sbtest{table} (id {number}, k INTEGER DEFAULT '0' NOT NULL, "
        "c CHAR(120) DEFAULT '' NOT NULL, pad CHAR(60) DEFAULT '' NOT NULL, PRIMARY KEY (id));"
    )


def copy_sql(server, table, path):
    if server.driver == "postgresql":
        return f"\\copy sbtest{table} FROM '{path}'"
    return f"LOAD DATA LOCAL INFILE '{path}' INTO TABLE sbtest{table};"


def index_sql(table):
    return f"CREATE INDEX k_{table} ON sbtest{table}(k);"


def dump_rows(server, shape, folder):
    """The rows of a load that has just been done as files: a table's rows cut into as many as there
    are connections for it. Returns (table, path) for each."""
    cuts = max(1, CONNECTIONS // shape.tables)
    files = []
    for table in range(1, shape.tables + 1):
        for cut in range(cuts):
            first = shape.table_size * cut // cuts + 1
            last = shape.table_size * (cut + 1) // cuts
            path = folder / f"rows-{table}-{cut}"
            server.dump(f"sbtest{table}", first, last, path)
            files.append((table, path))
    return files


def client_scripts(server, shape, files):
    """Steps, each of scripts that run side by side: create, load, index, the tables spread."""
    tables = range(1, shape.tables + 1)

    def spread(statements):
        return [part for i in range(CONNECTIONS) if (part := statements[i::CONNECTIONS])]

    return [
        spread([create_sql(server, table) for table in tables]),
        spread([copy_sql(server, table, path) for table, path in files]),
        spread([index_sql(table) for table in tables]),
    ]


def check_loaded(server, shape, name):
    for table in range(1, shape.tables + 1):
        rows = int(server.query(f"SELECT count(*) FROM sbtest{table}"))
        if rows != shape.table_size:
            raise BenchError(f"{name}: sbtest{table} has {rows} rows")


class Agent(harness.Client):
    """An agent of ours that waits for coordinators; a context manager."""

    def begin(self):
        announce = self.path / "agent.address"
        command = [harness.AGENT, "--listen", "127.0.0.1:0", "--announce", announce]
        self.pid = self.launch(command, "agent").pid
        harness.wait_until(announce.exists, "the agent's start")
        self.address = announce.read_text().strip()


class Bench:
    """A server and an agent, on which loads are measured."""

    def __init__(self, family, server, agent):
        self.family, self.server, self.agent = family, server, agent

    def client_cpu_seconds(self):
        """Of all commands that have ended, of what they started, and of the agent."""
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime + harness.cpu_seconds(self.agent.pid)

    def measure(self, shape, loader, folder):
        """Seconds of one load into an empty database; CPU seconds of the client and the server."""
        self.server.clear()
        client_cpu, server_cpu = self.client_cpu_seconds(), self.server.cpu_seconds()
        begin = time.monotonic()
        loader.load(self.server, shape, folder)
        seconds = time.monotonic() - begin
        client_cpu = self.client_cpu_seconds() - client_cpu
        server_cpu = self.server.cpu_seconds() - server_cpu
        check_loaded(self.server, shape, loader.name)
        return {"seconds": seconds, "client_cpu": client_cpu, "server_cpu": server_cpu}

    def measure_line(self, shape, rounds):
        """Figures by the loader's name, medians of the rounds."""
        taken = collections.defaultdict(list)
        with tempfile.TemporaryDirectory(prefix="sysfleet-bench-") as name:
            folder = Path(name)
            ours = [OurLoad(method, self.agent.address) for method in METHODS[self.family]]
            # Not measured: it warms the server up, and is where the files come from.
            self.measure(shape, ours[0], folder)
            files = dump_rows(self.server, shape, folder)
            client = ClientLoad(
                CLIENT_NAMES[self.family], client_scripts(self.server, shape, files)
            )
            for _ in range(rounds):
                for loader in [*ours, SysbenchLoad(), client]:
                    taken[loader.name].append(self.measure(shape, loader, folder))
        return {
            name: {
                figure: harness.median([one[figure] for one in figures]) for figure in figures[0]
            }
            for name, figures in taken.items()
        }


def add_figures(figures, family, shape, measured):
    prefix = f"{family}.{shape.name}"
    for name, values in measured.items():
        for figure, value in values.items():
            figures[f"{prefix}.{name}.{figure}"] = round(value, 3)
        figures[f"{prefix}.{name}.rows_per_second"] = round(shape.rows / values["seconds"])
    for method in METHODS[family]:
        ours = measured[method]["seconds"]
        key = ratio_prefix(family, shape, method)
        figures[f"{key}.vs_sysbench"] = round(measured["sysbench"]["seconds"] / ours, 3)
        client = measured[CLIENT_NAMES[family]]["seconds"]
        figures[f"{key}.vs_{CLIENT_STATEMENTS[family]}"] = round(ours / client, 3)


def ratio_prefix(family, shape, method):
    """PostgreSQL has one method, which needs no name."""
    return f"{family}.{shape.name}" + ("" if len(METHODS[family]) == 1 else f".{method}")


def print_line(family, shape, measured):
    for name, values in measured.items():
        print(
            f"{family:<6} {shape.name:<8} {name:<13} {values['seconds']:>7.2f}"
            f" {shape.rows / values['seconds']:>10,.0f} {values['client_cpu']:>8.2f}"
            f" {values['server_cpu']:>8.2f}",
            flush=True,
        )


def print_ratios(figures, shapes, families):
    print("\nratio                                measured  target")
    for family in families:
        for shape in shapes:
            for method in METHODS[family]:
                place = (family, shape.tables, method)
                prefix = ratio_prefix(family, shape, method)
                print_ratio(f"{prefix}.vs_sysbench", figures, ">=", FASTER_THAN_SYSBENCH.get(place))
                client = f"{prefix}.vs_{CLIENT_STATEMENTS[family]}"
                print_ratio(client, figures, "<=", TIMES_THE_CLIENT.get(place))
    print("vs_sysbench: how many times as fast; the others: how many times the time")


def print_ratio(key, figures, relation, target):
    value = figures[key]
    text = f"{key:<36} {value:>8.2f}"
    if target is not None:
        held = value >= target if relation == ">=" else value <= target
        text += f"  {relation} {target:<5} {'' if held else 'missed'}"
    print(text.rstrip())


def main():
    parser = harness.arguments(__doc__)
    parser.add_argument("--family", choices=harness.FAMILIES, help="this one only")
    parser.add_argument("--tables", type=int, choices=(1, 4), help="this number of tables only")
    parser.add_argument("--rounds", type=int, help="default 3")
    options = parser.parse_args()
    rounds = options.rounds or (1 if options.quick else 3)
    rows = 100_000 if options.quick else 400_000
    shapes = [Shape(n, rows // n) for n in (4, 1) if options.tables in (None, n)]
    families = [family for family in SERVERS if options.family in (None, family)]
    figures = {}
    print("family tables   loader        seconds     rows/s  client   server  (CPU s)")
    for family in families:
        with SERVERS[family]() as server, Agent() as agent:
            bench = Bench(family, server, agent)
            for shape in shapes:
                measured = bench.measure_line(shape, rounds)
                print_line(family, shape, measured)
                add_figures(figures, family, shape, measured)
    print_ratios(figures, shapes, families)
    harness.write_json("load_rate.json", figures)


if __name__ == "__main__":
    harness.main(main)
