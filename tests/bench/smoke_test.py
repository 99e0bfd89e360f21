"""The measurements still work: a short one, with every client, gives every figure. That the figures
are good is not asked here, for this machine is busy with other tests.

usage: smoke_test.py BUILD_FOLDER
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

SCRIPT = pathlib.Path(__file__).with_name("client_cost.py")


def main():
    with tempfile.TemporaryDirectory() as results:
        environment = dict(
            os.environ, SYSFLEET_BUILD=sys.argv[1], SYSFLEET_BENCH_RESULTS=results
        )
        subprocess.run(
            [sys.executable, SCRIPT, "--quick", "--family", "pg", "--connections", "64"],
            env=environment,
            check=True,
        )
        figures = json.loads((pathlib.Path(results) / "client_cost.json").read_text())
    for client in ("agent", "sysbench", "pgbench", "floor"):
        for figure in ("qps", "qps_per_core", "cpu_us", "busy"):
            assert figures[f"pg.point_select.64.{client}.{figure}"] > 0, (client, figure)
    for ratio in ("vs_sysbench", "vs_pgbench", "vs_floor"):
        assert figures[f"pg.point_select.64.{ratio}"] > 0, ratio


if __name__ == "__main__":
    main()
