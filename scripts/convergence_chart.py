#!/usr/bin/env python3
"""Convergence of the inter-stage optimizers on one model: cost, bound and simulator runs by round.

Plans with each optimizer from an empty cache, writes one line per round to a CSV file and draws it as SVG:

    scripts/convergence_chart.py [--dfsim build/dfsim] [--config mesh4x4.yaml] [--model transformer_block.yaml]
        [--optimizers dp,ga,rl] [--max-rounds 12] [--out docs/convergence] [-- more options of dfsim]
    scripts/convergence_chart.py --draw docs/convergence.csv        draws again from the data

A simulator run is a candidate that was executed or stopped, of any level. The same data give the same picture.
"""

import argparse
import collections
import csv
import json
import pathlib
import subprocess
import sys
import tempfile

COLUMNS = ["optimizer", "round", "cost", "best_cost", "bound", "simulator_runs"]
COLOURS = {"dp": "#0072B2", "ga": "#D55E00", "rl": "#009E73", "exhaustive": "#CC79A7"}
LEFT, TOP, WIDTH, HEIGHT, GAP = 90, 46, 560, 240, 60


def rounds_of(options, optimizer):
    with tempfile.TemporaryDirectory() as folder:
        command = [options.dfsim, "--config", options.config, "--model", options.model, "--optimizer", optimizer,
                   "--max-rounds", str(options.max_rounds), "--cache", "none", "--trace", "none", "--json",
                   "--out", folder, *options.more]
        run = subprocess.run(command, check=True, capture_output=True, text=True)
    best, runs = float("inf"), 0
    for round_ in json.loads(run.stdout)["planner"]["rounds"]:
        cost = round_["cost_out"] or None
        best = min(best, cost or best)
        runs += sum(round_["candidates"].get(status, 0) for status in ("executed", "stopped"))
        yield {"optimizer": optimizer, "round": round_["round"], "cost": cost, "best_cost": best,
               "bound": round_["bound"], "simulator_runs": runs}


def panel(out, lines, top, title, last):
    """One picture: a line per (optimizer, column)."""
    values = [value for _, points, *_ in lines for _, value in points]
    low, high = 0, max(values) * 1.05 or 1

    def x(round_):
        return LEFT + WIDTH * (round_ - 1) / max(1, last - 1)

    def y(value):
        return top + HEIGHT * (1 - (value - low) / (high - low))

    out.append(f'<text x="{LEFT - 70}" y="{top - 10}" font-weight="bold">{title}</text>')
    for step in range(6):
        value = low + (high - low) * step / 5
        out.append(f'<line x1="{LEFT}" x2="{LEFT + WIDTH}" y1="{y(value):.1f}" y2="{y(value):.1f}" stroke="#ddd"/>')
        out.append(f'<text x="{LEFT - 6}" y="{y(value) + 4:.1f}" text-anchor="end">{value:,.0f}</text>')
    for round_ in range(1, last + 1):
        out.append(f'<text x="{x(round_):.1f}" y="{top + HEIGHT + 16}" text-anchor="middle">{round_}</text>')
    for index, (name, points, colour, dashes) in enumerate(lines):
        path = " ".join(f"{x(round_):.1f},{y(value):.1f}" for round_, value in points)
        out.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2" {dashes}/>')
        for round_, value in points:
            out.append(f'<circle cx="{x(round_):.1f}" cy="{y(value):.1f}" r="2.5" fill="{colour}"/>')
        row = top + 10 + 18 * index
        out.append(f'<line x1="{LEFT + WIDTH + 14}" x2="{LEFT + WIDTH + 38}" y1="{row}" y2="{row}" stroke="{colour}" stroke-width="2" {dashes}/>')
        out.append(f'<text x="{LEFT + WIDTH + 44}" y="{row + 4}">{name}</text>')


def draw(rows, heading):
    by_optimizer = collections.defaultdict(list)
    for row in rows:
        by_optimizer[row["optimizer"]].append(row)
    last = max(int(row["round"]) for row in rows)
    costs, runs = [], []
    for name, own in by_optimizer.items():
        colour = COLOURS.get(name, "#595959")
        measured = [(int(r["round"]), float(r["best_cost"])) for r in own if r["best_cost"] not in ("", "inf")]
        costs.append((f"{name}: best measured", measured, colour, ""))
        costs.append((f"{name}: bound", [(int(r["round"]), float(r["bound"])) for r in own], colour, 'stroke-dasharray="5 4"'))
        runs.append((name, [(int(r["round"]), float(r["simulator_runs"])) for r in own], colour, ""))
    height = TOP + 2 * HEIGHT + GAP + 60
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + WIDTH + 190}" height="{height}" '
           'font-family="sans-serif" font-size="12">', '<rect width="100%" height="100%" fill="white"/>',
           f'<text x="{LEFT - 70}" y="18" font-size="14" font-weight="bold">{heading}</text>']
    panel(out, costs, TOP, "cycles of a period", last)
    panel(out, runs, TOP + HEIGHT + GAP, "simulator runs so far", last)
    out.append(f'<text x="{LEFT + WIDTH}" y="{height - 8}" text-anchor="end">round</text>')
    return "\n".join(out + ["</svg>"]) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dfsim", default="build/dfsim")
    parser.add_argument("--config", default="mesh4x4.yaml")
    parser.add_argument("--model", default="transformer_block.yaml")
    parser.add_argument("--optimizers", default="dp,ga,rl")
    parser.add_argument("--max-rounds", type=int, default=12)
    parser.add_argument("--out", default="docs/convergence")
    parser.add_argument("--draw", metavar="CSV")
    parser.add_argument("more", nargs="*")
    options = parser.parse_args()
    data = pathlib.Path(options.draw or options.out + ".csv")
    if not options.draw:
        rows = [row for name in options.optimizers.split(",") for row in rounds_of(options, name)]
        with open(data, "w", newline="") as file:
            file.write(f"# {pathlib.Path(options.model).stem} on {pathlib.Path(options.config).stem}\n")
            writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
    lines = data.read_text().splitlines()
    rows = list(csv.DictReader(lines[1:]))
    data.with_suffix(".svg").write_text(draw(rows, "Convergence of the planner: " + lines[0][2:]))
    for name in dict.fromkeys(row["optimizer"] for row in rows):
        own = [row for row in rows if row["optimizer"] == name]
        print(f"{name}: {len(own)} rounds, best {own[-1]['best_cost']}, bound {own[-1]['bound']}, {own[-1]['simulator_runs']} simulator runs")
    return 0


if __name__ == "__main__":
    sys.exit(main())
