#!/usr/bin/env python3
"""Draws the PEs of a run as SVG: plot_pes.py OUT_FOLDER > picture.svg

Every PE is a square, the darker the more cycles it computed; stages are framed by PE group. Layers of a 3-D network and several
NoCs stand side by side. Reads measurement.json only; the same file gives the same picture.
"""

import json
import pathlib
import re
import sys

CELL, GAP, MARGIN, TOP = 44, 6, 20, 46
FRAMES = ["#c0392b", "#2471a3", "#1e8449", "#b9770e", "#6c3483", "#117a65", "#7b7d7d", "#922b21"]


def shade(share):
    """From nearly white (idle) to dark blue (always computing)."""
    light, dark = (238, 243, 248), (16, 62, 110)
    return "#%02x%02x%02x" % tuple(round(a + (b - a) * share) for a, b in zip(light, dark))


def box_of(text):
    """NoC, then first and end along x, y and z."""
    numbers = re.match(r"chip(\d+)\[(\d+):(\d+),(\d+):(\d+)(?:,(\d+):(\d+))?", text).groups(default=None)
    noc, x0, x1, y0, y1 = map(int, numbers[:5])
    return noc, x0, x1, y0, y1, int(numbers[5] or 0), int(numbers[6] or 1)


def main():
    if len(sys.argv) != 2:
        print(__doc__.splitlines()[0], file=sys.stderr)
        return 2
    run = json.loads((pathlib.Path(sys.argv[1]) / "measurement.json").read_text())
    columns = max(pe["x"] for pe in run["pes"]) + 1
    rows = max(pe["y"] for pe in run["pes"]) + 1
    layers = max(pe["z"] for pe in run["pes"]) + 1
    panels = (max(pe["noc"] for pe in run["pes"]) + 1) * layers
    step = CELL + GAP

    def corner(noc, x, y, z):
        return MARGIN + ((noc * layers + z) * (columns + 1) + x) * step, TOP + y * step

    groups = []
    for stage in run["stages"]:
        if stage["pe_groups"] not in groups:
            groups.append(stage["pe_groups"])
    width = 2 * MARGIN + (panels * (columns + 1) - 1) * step - GAP
    height = TOP + rows * step + 24 + 18 * min(len(run["stages"]), 8)
    period = run["interval_cycles"] * run["samples"]
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" font-size="12">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
        f'<text x="{MARGIN}" y="18" font-size="14" font-weight="bold">{run["model"]} on {run["hardware"]}</text>',
        f'<text x="{MARGIN}" y="36">{period:,.0f} cycles for {run["samples"]} samples; numbers: % of cycles computing</text>',
    ]
    for pe in run["pes"]:
        share = pe["busy_cycles"] / run["cycles"]
        x, y = corner(pe["noc"], pe["x"], pe["y"], pe["z"])
        colour = "white" if share > 0.5 else "#333"
        out.append(f'<rect x="{x}" y="{y}" width="{CELL}" height="{CELL}" rx="4" fill="{shade(share)}"/>')
        out.append(
            f'<text x="{x + CELL / 2:g}" y="{y + CELL / 2 + 4:g}" text-anchor="middle" fill="{colour}">{100 * share:.0f}</text>'
        )
    for number, boxes in enumerate(groups):
        for text in boxes:
            noc, x0, x1, y0, y1, z0, z1 = box_of(text)
            for z in range(z0, z1):
                x, y = corner(noc, x0, y0, z)
                wide, high = (x1 - x0) * step - GAP + 4, (y1 - y0) * step - GAP + 4
                out.append(
                    f'<rect x="{x - 2}" y="{y - 2}" width="{wide}" height="{high}" '
                    f'rx="5" fill="none" stroke="{FRAMES[number % len(FRAMES)]}" stroke-width="2.5"/>'
                )
    for line, stage in enumerate(run["stages"][:8]):
        y = TOP + rows * step + 18 + 18 * line
        colour = FRAMES[groups.index(stage["pe_groups"]) % len(FRAMES)]
        names = stage["operators"]
        what = names[0] if len(names) == 1 else f"{names[0]} .. {names[-1]} ({len(names)})"
        out.append(f'<text x="{MARGIN}" y="{y}" fill="{colour}">{stage["name"]}: {what}</text>')
    out.append("</svg>")
    print("\n".join(out))
    return 0


if __name__ == "__main__":
    sys.exit(main())
