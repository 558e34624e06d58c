#!/usr/bin/env python3
"""Draws latency against load, dfsim's curves over the reference's points: plot_noc.py [DFSIM] > docs/noc_latency.svg

The points are the rows of tests/data/noc/load_sweep.csv; the curves are measured here, with `dfsim noc` at evenly spaced
rates of the same network, until it saturates. Last panel: the routing functions, for which there is no reference. DFSIM is
build/dfsim unless given. Same binary, same picture. Takes a minute or two.
"""

import csv
import json
import math
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
COLOURS = ["#2471a3", "#c0392b", "#1e8449", "#b9770e", "#6c3483", "#117a65", "#7b7d7d", "#922b21"]
POINTS = 24  # of a curve
WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 400, 330, 50, 34, 14, 44  # of a panel
LOWEST, HIGHEST = 10, 400  # cycles

# Title, and which series of the sweep: (legend, topology, k, traffic, packet_flits, vcs, buf).
PANELS = [
    (
        "8x8 mesh: patterns",
        [
            ("uniform, 5 flits", "mesh", 8, "uniform", 5, 4, 8),
            ("transpose, 1", "mesh", 8, "transpose", 1, 4, 8),
            ("bitcomp, 5", "mesh", 8, "bitcomp", 5, 4, 8),
            ("tornado, 1", "mesh", 8, "tornado", 1, 4, 8),
            ("neighbor, 5", "mesh", 8, "neighbor", 5, 4, 8),
            ("hotspot27w5, 5", "mesh", 8, "hotspot27w5", 5, 4, 8),
        ],
    ),
    (
        "8x8 mesh, uniform, 5 flits: VCs x buffer",
        [(f"{v} x {b}", "mesh", 8, "uniform", 5, v, b) for v, b in ((1, 8), (2, 4), (4, 8), (8, 4))],
    ),
    (
        "8x8 torus",
        [
            ("uniform, 1 flit", "torus", 8, "uniform", 1, 4, 8),
            ("transpose, 1", "torus", 8, "transpose", 1, 4, 8),
            ("bitcomp, 1", "torus", 8, "bitcomp", 1, 4, 8),
            ("tornado, 5", "torus", 8, "tornado", 5, 4, 8),
            ("neighbor, 5", "torus", 8, "neighbor", 5, 4, 8),
        ],
    ),
    (
        "other sizes",
        [
            ("4x4 uniform, 5 flits", "mesh", 4, "uniform", 5, 4, 8),
            ("4x4 transpose, 5", "mesh", 4, "transpose", 5, 4, 8),
            ("4x4 hotspot5w3, 1", "mesh", 4, "hotspot5w3", 1, 4, 8),
            ("16x16 uniform, 5", "mesh", 16, "uniform", 5, 4, 8),
            ("16x16 transpose, 5", "mesh", 16, "transpose", 5, 4, 8),
        ],
    ),
]
ROUTINGS = ["xy", "o1turn", "west_first", "odd_even"]
ROUTED = [("transpose", 0.4), ("uniform", 0.5)]  # pattern, highest rate


def measure(dfsim, rate, topology, k, traffic, flits, vcs, buffer, routing="xy"):
    """Average packet latency, or None if the network is saturated."""
    command = [dfsim, "noc", "--topology", topology, "--dims", f"{k}x{k}", "--traffic", traffic, "--json"]
    command += ["--packet-flits", flits, "--vcs", vcs, "--buffer", buffer, "--routing", routing, "--rate", f"{rate:g}"]
    run = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=True)
    result = json.loads(run.stdout)
    return None if result["saturated"] else result["avg_packet_latency"]


def curve(dfsim, highest, network, routing="xy"):
    points = []
    for i in range(POINTS):
        rate = 0.01 + (highest - 0.01) * i / (POINTS - 1)
        latency = measure(dfsim, rate, *network, routing=routing)
        if latency is None:
            break
        points.append((rate, latency))
    return points


def reference(rows, network):
    """Points (rate, latency) of the base preset, and the highest rate, saturated or not."""
    keys = ("topology", "k", "traffic", "packet_flits", "vcs", "buf")
    mine = [r for r in rows if r["router_preset"] == "base" and tuple(r[k] for k in keys) == tuple(map(str, network))]
    rate = "injection_rate_flits_per_node_cycle"
    points = [(float(r[rate]), float(r["avg_packet_latency"])) for r in mine if r["avg_packet_latency"]]
    return points, max(float(r[rate]) for r in mine)


class Panel:
    def __init__(self, index, title, most):
        self.x0, self.y0 = index % 2 * WIDTH, index // 2 * HEIGHT
        self.most = most
        self.out = [f'<text x="{self.x0 + LEFT}" y="{self.y0 + 20}" font-size="13" font-weight="bold">{title}</text>']
        self.legend = 0
        self.axes()

    def x(self, rate):
        return self.x0 + LEFT + (WIDTH - LEFT - RIGHT) * rate / self.most

    def y(self, latency):
        share = math.log(latency / LOWEST) / math.log(HIGHEST / LOWEST)
        return self.y0 + HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * share

    def axes(self):
        left, right, bottom = self.x(0), self.x(self.most), self.y(LOWEST)
        for latency in (10, 20, 50, 100, 200, 400):
            y = self.y(latency)
            self.out.append(f'<path d="M{left:.1f} {y:.1f}H{right:.1f}" stroke="#ddd"/>')
            self.out.append(f'<text x="{left - 6:.1f}" y="{y + 4:.1f}" text-anchor="end">{latency}</text>')
        for i in range(6):
            rate = self.most * i / 5
            self.out.append(f'<text x="{self.x(rate):.1f}" y="{bottom + 16:.1f}" text-anchor="middle">{rate:.2g}</text>')
        middle = (left + right) / 2
        self.out.append(f'<text x="{middle:.1f}" y="{bottom + 33:.1f}" text-anchor="middle">flits per node and cycle</text>')

    def add(self, name, curve_points, points, colour, dash=""):
        path = " ".join(f"{self.x(r):.1f},{self.y(min(v, HIGHEST)):.1f}" for r, v in curve_points)
        self.out.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.5" {dash}/>')
        for rate, latency in points:
            if latency <= HIGHEST:
                self.out.append(
                    f'<circle cx="{self.x(rate):.1f}" cy="{self.y(latency):.1f}" r="3" fill="none" stroke="{colour}"/>'
                )
        x, y = self.x0 + LEFT + 8, self.y0 + TOP + 12 + 14 * self.legend
        self.out.append(f'<path d="M{x} {y - 4}h16" stroke="{colour}" stroke-width="1.5" {dash}/>')
        self.out.append(f'<text x="{x + 20}" y="{y}">{name}</text>')
        self.legend += 1


def main():
    dfsim = sys.argv[1] if len(sys.argv) > 1 else str(ROOT / "build" / "dfsim")
    with open(ROOT / "tests/data/noc/load_sweep.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    panels = []
    for title, series in PANELS:
        found = [reference(rows, network) for _, *network in series]
        panel = Panel(len(panels), title, max(highest for _, highest in found))
        for i, ((name, *network), (points, highest)) in enumerate(zip(series, found)):
            panel.add(name, curve(dfsim, highest, network), points, COLOURS[i])
        panels.append(panel)
    for traffic, highest in ROUTED:
        panel = Panel(len(panels), f"8x8 mesh, {traffic}, 5 flits: routings", highest)
        for i, routing in enumerate(ROUTINGS):
            network = ("mesh", 8, traffic, 5, 4, 8)
            panel.add(routing, curve(dfsim, highest, network, routing), [], COLOURS[i])
        panels.append(panel)
    width, height = 2 * WIDTH, (len(panels) + 1) // 2 * HEIGHT + 24
    print(f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" font-size="11">')
    print(f'<rect width="{width}" height="{height}" fill="white"/>')
    for panel in panels:
        print("\n".join(panel.out))
    print(f'<text x="{LEFT}" y="{height - 8}">Average packet latency in cycles. Lines: dfsim. Circles: BookSim2, for all but the last two panels.</text>')
    print("</svg>")
    return 0


if __name__ == "__main__":
    sys.exit(main())
