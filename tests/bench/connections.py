"""How many connections one agent holds: 10 000 to a null server, with the statements of
oltp_read_write prepared on each. Seconds from the coordinator's start to the first transaction, and
memory of the agent for each connection, beside what the client library alone takes: the floor
program connects and prepares the same with it, one after another.
"""

import time

import harness
from harness import AgentClient, FloorClient

TARGET_SECONDS = 30
TARGET_KIB = 64


def settled_rss_kib(pid):
    for line in open(f"/proc/{pid}/status"):
        if line.startswith("VmRSS:"):
            return int(line.split()[1])
    raise harness.BenchError(f"process {pid} has no memory figure")


def measure(kind, family, connections):
    """(seconds until the first transaction, KiB of memory)"""
    with harness.NullServer(family) as server:
        with kind(server, "oltp_read_write", connections, 60) as client:
            begin = time.monotonic()
            before = server.report()["statements"]

            def begun():
                client.check()
                # The coordinator asks for the version; the floor executes each of the 20
                # statements once on each connection before it begins.
                done = 20 * connections if kind is FloorClient else 1
                return server.report()["statements"] > before + done

            harness.wait_until(begun, "the first transaction", 180)
            seconds = time.monotonic() - begin
            time.sleep(2)
            client.check()
            return seconds, settled_rss_kib(client.pid)


def main():
    parser = harness.arguments(__doc__)
    options = parser.parse_args()
    connections = 2_000 if options.quick else 10_000
    figures = {}
    print("family connections  connected s  KiB each: agent  library  ours")
    for family in harness.FAMILIES:
        # What a program takes without connections is not theirs.
        _, idle = measure(AgentClient, family, 1)
        _, library_idle = measure(FloorClient, family, 1)
        seconds, memory = measure(AgentClient, family, connections)
        _, library_memory = measure(FloorClient, family, connections)
        agent_kib = (memory - idle) / connections
        library_kib = (library_memory - library_idle) / connections
        prefix = f"{family}.{connections}"
        figures[f"{prefix}.connected_s"] = round(seconds, 2)
        figures[f"{prefix}.agent_kib"] = round(agent_kib, 1)
        figures[f"{prefix}.library_kib"] = round(library_kib, 1)
        figures[f"{prefix}.ours_kib"] = round(agent_kib - library_kib, 1)
        missed = seconds > TARGET_SECONDS or agent_kib - library_kib > TARGET_KIB
        print(
            f"{family:<6} {connections:>11,} {seconds:>12.1f} {agent_kib:>16.1f}"
            f" {library_kib:>8.1f} {agent_kib - library_kib:>5.1f}{'  missed' if missed else ''}",
            flush=True,
        )
    print(f"target: within {TARGET_SECONDS} s, ours at most {TARGET_KIB} KiB")
    harness.write_json("connections.json", figures)


if __name__ == "__main__":
    harness.main(main)
