"""What one client core can drive: our agent beside sysbench, pgbench and pre-encoded messages on
raw sockets, each against a null server on another core.

A client's cost is its process's CPU time over the statements that the server has answered in the
same seconds, connecting left out. All clients of a line are measured in turn, round after round;
the medians are shown. A ratio is taken within each round, since a machine's speed may change
between rounds; the median, the least and the greatest are shown.
"""

import collections

import harness
from harness import AgentClient, FloorClient, PgbenchClient, SysbenchClient

Line = collections.namedtuple("Line", "family workload connections")

# Ratios of QPS per client core, against sysbench unless named otherwise; from the design.
TARGETS = {
    "pg.point_select.64.vs_sysbench": 1.8,
    "pg.point_select.256.vs_sysbench": 2.2,
    "pg.point_select.1024.vs_sysbench": 3.5,
    "mysql.point_select.64.vs_sysbench": 1.55,
    "mysql.point_select.256.vs_sysbench": 1.95,
    "mysql.point_select.1024.vs_sysbench": 2.3,
    "pg.read_write.64.vs_sysbench": 1.5,
    "pg.read_write.1024.vs_sysbench": 2.2,
    "mysql.read_write.64.vs_sysbench": 1.5,
    "mysql.read_write.1024.vs_sysbench": 2.2,
    "pg.point_select.64.vs_pgbench": 1.1,
    "pg.point_select.256.vs_pgbench": 1.1,
    "pg.point_select.1024.vs_pgbench": 1.1,
}
# Hoped for; a miss is no fault.
STRETCH_TARGETS = {
    "pg.point_select.64.vs_sysbench": 2.0,
    "pg.point_select.1024.vs_sysbench": 4.5,
    "mysql.point_select.64.vs_sysbench": 2.0,
    "mysql.point_select.1024.vs_sysbench": 3.5,
}
# Times the CPU of a statement at the floor, at most.
FLOOR_TARGETS = {"pg.point_select.64.vs_floor": 1.25, "pg.point_select.1024.vs_floor": 1.4}


def lines(quick):
    workloads = ["oltp_point_select"] if quick else ["oltp_point_select", "oltp_read_write"]
    connections = [64, 1024] if quick else [1, 64, 256, 1024]
    return [
        Line(family, workload, count)
        for family in harness.FAMILIES
        for workload in workloads
        for count in connections
    ]


def clients(line):
    kinds = [AgentClient, SysbenchClient]
    if line.family == "pg" and line.workload == "oltp_point_select":
        kinds.append(PgbenchClient)
    return kinds + [FloorClient]


def measure_line(line, rounds, seconds):
    """Of each client, its figures round by round."""
    taken = collections.defaultdict(list)
    for _ in range(rounds):
        for kind in clients(line):
            with harness.NullServer(line.family) as server:
                # Longer than is needed; it is stopped when it has been measured.
                with kind(server, line.workload, line.connections, int(seconds) + 30) as client:
                    taken[kind.name].append(harness.measure(server, client, seconds))
    return taken


def medians(rounds):
    return {figure: harness.median([one[figure] for one in rounds]) for figure in rounds[0]}


def ratios(of, beside, figure):
    return [one[figure] / other[figure] for one, other in zip(of, beside)]


def add_figures(figures, line, taken):
    prefix = f"{line.family}.{line.workload.removeprefix('oltp_')}.{line.connections}"
    for name, rounds in taken.items():
        for figure, value in medians(rounds).items():
            figures[f"{prefix}.{name}.{figure}"] = round(value, 3)
    for name, figure in (("sysbench", "qps_per_core"), ("pgbench", "qps_per_core"),
                         ("floor", "cpu_us")):
        if name not in taken:
            continue
        values = ratios(taken["agent"], taken[name], figure)
        key = f"{prefix}.vs_{name}"
        figures[key] = round(harness.median(values), 3)
        figures[f"{key}.min"] = round(min(values), 3)
        figures[f"{key}.max"] = round(max(values), 3)


def print_line(line, taken):
    for name, rounds in taken.items():
        values = medians(rounds)
        print(
            f"{line.family:<6} {line.workload:<18} {line.connections:>5}  {name:<9}"
            f" {values['qps_per_core']:>10,.0f} {values['cpu_us']:>8.2f} {values['qps']:>10,.0f}"
            f" {values['busy']:>6.0%}",
            flush=True,
        )


def print_targets(figures):
    print("\nratio                            median    min    max  target")
    for targets, verb, note in (
        (TARGETS, ">=", ""),
        (FLOOR_TARGETS, "<=", ""),
        (STRETCH_TARGETS, ">=", "stretch"),
    ):
        for key, target in targets.items():
            if key not in figures:
                continue
            held = figures[key] >= target if verb == ">=" else figures[key] <= target
            print(
                f"{key:<32} {figures[key]:>6.2f} {figures[f'{key}.min']:>6.2f}"
                f" {figures[f'{key}.max']:>6.2f}  {verb} {target:<5} {note:<8}"
                f"{'' if held else 'missed'}"
            )


def main():
    parser = harness.arguments(__doc__)
    parser.add_argument("--family", choices=harness.FAMILIES, help="this one only")
    parser.add_argument("--workload", help="this one only")
    parser.add_argument("--connections", type=int, help="this number only")
    parser.add_argument("--rounds", type=int, help="default 3")
    options = parser.parse_args()
    rounds = options.rounds or (1 if options.quick else 3)
    seconds = 1.5 if options.quick else 3.0
    figures = {}
    print("family workload           conns  client    QPS / core   us CPU        QPS   busy")
    for line in lines(options.quick):
        if options.family not in (None, line.family):
            continue
        if options.workload not in (None, line.workload):
            continue
        if options.connections not in (None, line.connections):
            continue
        measured = measure_line(line, rounds, seconds)
        print_line(line, measured)
        add_figures(figures, line, measured)
    print_targets(figures)
    harness.write_json("client_cost.json", figures)


if __name__ == "__main__":
    harness.main(main)
