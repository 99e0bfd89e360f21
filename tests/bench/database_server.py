"""Throw-away database servers for measurements, and what each family's own client is called."""

import contextlib
import os
import pathlib
import shutil
import subprocess
import tempfile

import harness
from harness import BenchError

SCRIPT = harness.ROOT / "deploy" / "throwaway_server.sh"

# In memory, so that no disk, and nobody else who writes to it, is part of a measurement.
MEMORY = pathlib.Path("/dev/shm")
MEMORY_FREE_MIN = 4 << 30


def data_parent():
    """Where a server's folder should be; None: where temporary files are."""
    roomy = MEMORY.is_dir() and shutil.disk_usage(MEMORY).free >= MEMORY_FREE_MIN
    return MEMORY if roomy else None


def children_of(pid):
    return pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()


def cpu_ticks(pid):
    """Of a process in user and kernel mode, and of its children that have ended."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:15]))


class DatabaseServer:
    """A server of the family on a free port; a context manager. Its database is sbtest."""

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="sysfleet-bench-", dir=data_parent())
        self.path = pathlib.Path(self.folder.name) / "server"
        # The server is somebody else where this is root.
        self.path.parent.chmod(0o755)
        started = subprocess.run(
            [SCRIPT, "start", "--owner", str(os.getpid()), self.kind, self.path],
            stdout=subprocess.PIPE, text=True, check=False,
        )
        if started.returncode != 0:
            raise BenchError(f"the {self.kind} server did not start")
        facts = dict(line.split("=", 1) for line in started.stdout.splitlines())
        self.port, self.pid = int(facts["port"]), int(facts["pid"])
        self.password = facts["password"]
        return self

    def __exit__(self, *_):
        subprocess.run([SCRIPT, "stop", self.path], check=False)
        self.folder.cleanup()

    def query(self, sql, database="sbtest"):
        """What the family's own client prints: a line a row, tabs between the columns."""
        done = subprocess.run(
            self.client(database) + [self.execute_option, sql], env=self.environment(),
            stdout=subprocess.PIPE, text=True, check=False,
        )
        if done.returncode != 0:
            raise BenchError(f"{self.kind}: {sql}: failed")
        return done.stdout

    def cpu_seconds(self):
        """CPU time of the server so far, ended processes included, in steps of a clock tick."""
        while True:
            children = children_of(self.pid)
            with contextlib.suppress(OSError):
                ticks = sum(map(cpu_ticks, [self.pid, *children]))
                # One that ends in between would be in the sum twice, or not at all.
                if children_of(self.pid) == children:
                    return ticks / os.sysconf("SC_CLK_TCK")


class PostgresqlServer(DatabaseServer):
    kind = "postgresql"
    driver = "postgresql"
    sysbench_driver = "pgsql"
    execute_option = "-c"

    def environment(self):
        return {**os.environ, "PGPASSWORD": self.password}

    def client(self, database="sbtest"):
        return ["psql", "-X", "-q", "-A", "-t", "-F", "\t", "-v", "ON_ERROR_STOP=1", "-h",
                "127.0.0.1", "-p", str(self.port), "-U", "sbtest", "-d", database]

    def clear(self):
        """An empty database, and nothing left to write out."""
        self.query("DROP DATABASE IF EXISTS sbtest WITH (FORCE)", "postgres")
        self.query("CREATE DATABASE sbtest", "postgres")
        self.query("CHECKPOINT", "postgres")

    def dump(self, table, first, last, path):
        """These rows as the lines that COPY takes."""
        self.query(
            f"\\copy (SELECT * FROM {table} WHERE id BETWEEN {first} AND {last} ORDER BY id)"
            f" TO '{path}'"
        )


class MariadbServer(DatabaseServer):
    kind = "mariadb"
    driver = "mysql"
    sysbench_driver = "mysql"
    execute_option = "-e"

    def environment(self):
        return dict(os.environ)

    def client(self, database="sbtest"):
        return ["mariadb", f"--defaults-file={self.path}/client.cnf", f"--port={self.port}",
                "--local-infile=1", "--batch", "--skip-column-names", database]

    def clear(self):
        """An empty database, and nothing left to write out."""
        self.query("DROP DATABASE IF EXISTS sbtest; CREATE DATABASE sbtest", "information_schema")
        self.query("FLUSH TABLES", "information_schema")
        dirty = "SHOW GLOBAL STATUS LIKE 'Innodb_buffer_pool_pages_dirty'"
        self.query("SET GLOBAL innodb_max_dirty_pages_pct = 0", "information_schema")
        harness.wait_until(
            lambda: int(self.query(dirty, "information_schema").split()[1]) < 200,
            "writing out what is dirty",
        )
        self.query("SET GLOBAL innodb_max_dirty_pages_pct = DEFAULT", "information_schema")

    def dump(self, table, first, last, path):
        """These rows as the lines that LOAD DATA takes."""
        rows = self.query(f"SELECT * FROM {table} WHERE id BETWEEN {first} AND {last} ORDER BY id")
        path.write_text(rows)


SERVERS = {"pg": PostgresqlServer, "mysql": MariadbServer}
