#!/usr/bin/env python3
"""How close `dfsim place` comes to the exact answer on random tables of times.

Draws GRAPHS tables (5 to 12 sub-graphs, 2 to 4 processors; chains, trees and graphs in turn; times 1 to 20, copies 0 to 10),
places each with --method mutation and --method exact, and prints how many are equal and how many within 2 %, and the execution
cycles. Exit code 1 if fewer than 95 % are within 2 %.

    scripts/place_quality.py [--dfsim build/dfsim] [--graphs 100] [--objective latency|interval] [--max-cycles 500] [--seed 1]
"""

import argparse
import json
import pathlib
import random
import subprocess
import sys
import tempfile


def random_table(rng, shape):
    """A table as YAML (JSON is YAML)."""
    count, processors = rng.randint(5, 12), rng.randint(2, 4)
    subgraphs, copies = [], []
    for i in range(count):
        times = [rng.randint(1, 20) if rng.random() < 0.9 else None for _ in range(processors)]
        if all(time is None for time in times):
            times[0] = rng.randint(1, 20)
        subgraphs.append({"name": f"g{i}", "time": times})
        if i == 0:
            continue
        parents = {i - 1 if shape == "chain" else rng.randrange(i)}
        if shape == "graph" and rng.random() < 1 / 3:
            parents.add(rng.randrange(i))
        copies += [{"from": f"g{p}", "to": f"g{i}", "time": rng.randint(0, 10)} for p in sorted(parents)]
    return {"processors": [f"p{p}" for p in range(processors)], "subgraphs": subgraphs, "copies": copies}


def place(options, table, method, seed):
    command = [options.dfsim, "place", "--json", "--time-table", table, "--method", method, "--objective", options.objective]
    command += ["--max-cycles", str(options.max_cycles), "--seed", str(seed)]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def main():
    root = pathlib.Path(__file__).parent.parent
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dfsim", default=str(root / "build" / "dfsim"))
    parser.add_argument("--graphs", type=int, default=100)
    parser.add_argument("--objective", choices=["latency", "interval"], default="latency")
    parser.add_argument("--max-cycles", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    equal = close = 0
    cycles = []
    with tempfile.TemporaryDirectory() as folder:
        for number in range(options.graphs):
            table = pathlib.Path(folder) / f"{number}.yaml"
            table.write_text(json.dumps(random_table(rng, ["chain", "tree", "graph"][number % 3])))
            settled = place(options, str(table), "mutation", number)
            exact = place(options, str(table), "exact", number)
            equal += settled["value"] <= exact["value"] * (1 + 1e-9)
            close += settled["value"] <= exact["value"] * 1.02
            cycles.append(settled["cycles"])
    print(f"{options.objective}: {equal} of {options.graphs} equal, {close} within 2 %; "
          f"cycles {sum(cycles) / len(cycles):.1f} on average, {max(cycles)} at most")
    return 0 if close >= 0.95 * options.graphs else 1


if __name__ == "__main__":
    sys.exit(main())
