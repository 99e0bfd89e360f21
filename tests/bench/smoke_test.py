"""The measurements still work: short ones, with every client, loader and a small fleet, give every
figure. That the figures are good is not asked here, for this machine is busy with other tests.

usage: smoke_test.py BUILD_FOLDER
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

BENCH = pathlib.Path(__file__).parent


def figures_of(name, *arguments):
    with tempfile.TemporaryDirectory() as results:
        environment = dict(
            os.environ, SYSFLEET_BUILD=sys.argv[1], SYSFLEET_BENCH_RESULTS=results
        )
        subprocess.run(
            [sys.executable, BENCH / f"{name}.py", *arguments], env=environment, check=True
        )
        return json.loads((pathlib.Path(results) / f"{name}.json").read_text())


def check_client_cost():
    figures = figures_of("client_cost", "--quick", "--family", "pg", "--connections", "64")
    for client in ("agent", "sysbench", "pgbench", "floor"):
        for figure in ("qps", "qps_per_core", "cpu_us", "busy"):
            assert figures[f"pg.point_select.64.{client}.{figure}"] > 0, (client, figure)
    for ratio in ("vs_sysbench", "vs_pgbench", "vs_floor"):
        assert figures[f"pg.point_select.64.{ratio}"] > 0, ratio


def check_fleet_scale():
    figures = figures_of("fleet_scale", "--agents", "10", "--time", "2")
    for figure in ("coordinator_cores", "coordinator_us_per_agent_second", "rss_mib",
                   "snapshot_bytes", "merge_delay_p99_ms", "seconds_to_start"):
        assert figures[f"agents.10.{figure}"] > 0, figure


def check_load_rate():
    figures = figures_of("load_rate", "--quick", "--tables", "1")
    loaders = {
        "pg": ("copy", "sysbench", "psql"),
        "mysql": ("insert", "local_infile", "sysbench", "mariadb"),
    }
    for family, names in loaders.items():
        for name in names:
            for figure in ("seconds", "client_cpu", "server_cpu", "rows_per_second"):
                assert figures[f"{family}.1x100k.{name}.{figure}"] > 0, (family, name, figure)
    for ratio in ("pg.1x100k.vs_copy", "mysql.1x100k.local_infile.vs_sysbench"):
        assert figures[ratio] > 0, ratio


def main():
    check_client_cost()
    check_fleet_scale()
    check_load_rate()


if __name__ == "__main__":
    main()
