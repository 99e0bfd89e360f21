"""Instructions that our own code executes for a statement, counted by callgrind: they do not depend
on the clock nor on what else the machine does. Fails where one differs from its recorded value by
more than 10 %, up or down, so that a gain is recorded too: run again with --record then.

usage: guard.py PROGRAM [--record]
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

RECORDED = pathlib.Path(__file__).with_name("recorded.json")
CASES = [
    (workload, wire)
    for workload in ("oltp_point_select", "oltp_read_write")
    for wire in ("none", "postgresql", "mysql")
]
ALLOWED = 0.10


def count(program, workload, wire, transactions):
    """(instructions, statements)"""
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run(
            ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out", program,
             workload, wire, str(transactions)],
            capture_output=True, text=True, check=True,
        )
    return int(re.search(r"Collected : (\d+)", run.stderr).group(1)), int(run.stdout)


def per_statement(program, workload, wire):
    # The difference of two runs: what is done once does not count.
    few, few_statements = count(program, workload, wire, 200)
    many, many_statements = count(program, workload, wire, 1200)
    return (many - few) / (many_statements - few_statements)


def main():
    program = sys.argv[1]
    measured = {
        f"{workload}.{wire}": round(per_statement(program, workload, wire), 1)
        for workload, wire in CASES
    }
    if "--record" in sys.argv:
        RECORDED.write_text(json.dumps(measured, indent=2) + "\n")
        return 0
    recorded = json.loads(RECORDED.read_text())
    failed = False
    print("instructions per statement          now  recorded")
    for case, now in measured.items():
        change = now / recorded[case] - 1
        beyond = abs(change) > ALLOWED
        failed |= beyond
        print(f"{case:<30} {now:>8.1f} {recorded[case]:>9.1f} {change:>+6.1%}"
              f"{'  beyond 10 %' if beyond else ''}")
    if failed:
        print("If this is meant: guard.py PROGRAM --record, and say why in the commit.")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
