"""Prints the tables of docs/performance.md from the figures that the measurements have left in
build/bench.

usage: python3 tests/bench/tables.py
"""

import json

import harness


def load(name):
    path = harness.RESULTS / f"{name}.json"
    return json.loads(path.read_text()) if path.exists() else None


def table(head, rows):
    print("| " + " | ".join(head) + " |")
    print("|" + "---|" * len(head))
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print()


def client_cost(figures):
    clients = ["agent", "sysbench", "pgbench", "floor"]
    rows = []
    prefixes = dict.fromkeys(".".join(key.split(".")[:3]) for key in figures)
    for prefix in prefixes:
        family, workload, connections = prefix.split(".")
        cells = []
        for client in clients:
            cost = figures.get(f"{prefix}.{client}.cpu_us")
            qps = figures.get(f"{prefix}.{client}.qps_per_core")
            cells.append(f"{qps / 1000:.0f} k, {cost:.1f} µs" if cost else "")
        for ratio in ("vs_sysbench", "vs_pgbench", "vs_floor"):
            value = figures.get(f"{prefix}.{ratio}")
            cells.append(f"{value:.2f}" if value else "")
        rows.append([family, workload, connections, *cells])
    table(
        ["", "workload", "connections", *clients, "agent / sysbench", "agent / pgbench",
         "CPU, agent / floor"],
        rows,
    )


def timing_accuracy(figures):
    rows = []
    prefixes = dict.fromkeys(key.rpartition(".")[0] for key in figures)
    for prefix in prefixes:
        _, delay, connections, client = prefix.split(".")
        cells = []
        for figure in ("mean_us", "p50_us", "p99_us"):
            reported, true = figures[f"{prefix}.{figure}"], figures[f"{prefix}.true_{figure}"]
            cells += [f"{reported:,.0f}", f"{true:,.0f}"]
        rows.append([delay, connections, client, *cells])
    heads = [f"{figure}{what}" for figure in ("mean", "p50", "p99") for what in (", µs", ", true")]
    table(["delay", "connections", "client", *heads], rows)


def connections(figures):
    rows = []
    for prefix in dict.fromkeys(key.rpartition(".")[0] for key in figures):
        family, count = prefix.split(".")
        rows.append(
            [family, count, f"{figures[f'{prefix}.connected_s']:.1f}"]
            + [f"{figures[f'{prefix}.{name}_kib']:.0f}" for name in ("agent", "library")]
        )
    table(["", "connections", "connected after, s", "agent, KiB each", "library alone, KiB"], rows)


def fleet_scale(figures):
    rows = []
    names = ["coordinator_cores", "coordinator_us_per_agent_second", "rss_mib", "snapshot_bytes",
             "merge_delay_p50_ms", "merge_delay_p99_ms", "start_spread_ms", "seconds_to_start"]
    for prefix in dict.fromkeys(key.rpartition(".")[0] for key in figures):
        rows.append([prefix.split(".")[1], *(f"{figures[f'{prefix}.{n}']:g}" for n in names)])
    table(["agents", *(name.replace("_", " ") for name in names)], rows)


def load_rate(figures):
    rows = []
    for prefix in dict.fromkeys(
        key.rpartition(".")[0] for key in figures if key.endswith(".seconds")
    ):
        family, tables, method = prefix.split(".")
        ratios = ", ".join(
            f"{value:.2f} {key.rpartition('.')[2].replace('_', ' ')}"
            for key, value in figures.items()
            if ".vs_" in key and key.rpartition(".")[0] in (prefix, f"{family}.{tables}")
            and method in ("copy", "insert", "local_infile")
        )
        rows.append([family, tables, method, f"{figures[f'{prefix}.seconds']:.2f}",
                     f"{figures[f'{prefix}.rows_per_second']:,}", ratios])
    table(["", "tables", "by", "seconds", "rows/s", "ours against"], rows)


def main():
    for show in (client_cost, timing_accuracy, connections, load_rate, fleet_scale):
        figures = load(show.__name__)
        if figures:
            print(f"### {show.__name__}\n")
            show(figures)


if __name__ == "__main__":
    main()
