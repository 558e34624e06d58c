#!/usr/bin/env python3
"""Checks that each room includes only what docs/architecture.md lets it include.

Every `#include "..."` below sim/ and planner/ is held against RULES; `<systemc>` may stand only in the rooms, or files,
that wrap modules. Prints each breach as file:line and exits 1 if there is any.
"""

import pathlib
import re
import sys

# Room -> what it may include besides itself: a room, or a single header.
NOC_PORTS = ["sim/noc/ports.h", "sim/noc/packet.h"]
RULES = {
    "sim/base": [],
    "sim/api": ["sim/base"],
    "sim/hw": ["sim/base", "sim/api"],
    "sim/noc": ["sim/base", "sim/api"],
    "sim/mem": ["sim/base", "sim/api", *NOC_PORTS],
    "sim/comm": ["sim/base", "sim/api"],
    "sim/pe": ["sim/base", "sim/api", "sim/comm", *NOC_PORTS],
    "sim/energy": ["sim/base", "sim/api"],
    "sim/trace": ["sim/base", "sim/api"],
    "sim/eth": ["sim/base", "sim/api", *NOC_PORTS],
    "sim/host": ["sim/base", "sim/api", *NOC_PORTS],
    "sim/system": ["sim"],
    # The graph knows data types, the operators the work of a micro-op: plain data of the contract.
    "planner/graph": ["sim/base", "sim/api/hardware.h"],
    "planner/plan": ["sim/base", "sim/api/hardware.h", "planner/graph"],
    "planner/ops": ["sim/base", "sim/api", "planner/graph", "planner/plan"],
    "planner/frontend": ["sim/base", "sim/api/hardware.h", "planner/graph", "planner/ops"],
    "planner/lower": ["sim/base", "sim/api", "sim/comm", "planner/graph", "planner/plan", "planner/ops"],
    "planner/cost": ["sim/base", "sim/api", "planner/graph", "planner/plan", "planner/ops", "planner/lower"],
    "planner/loop": [
        "sim/base",
        "sim/api/hardware.h",
        "planner/graph",
        "planner/plan",
        "planner/ops",
        "planner/cost",
        "planner/intra_stage/optimizer.h",
        "planner/inter_stage/optimizer.h",
    ],
    # Boxes of tensors are defined beside the program; no search makes or reads one.
    "planner/intra_stage": [
        "sim/base",
        "sim/api/hardware.h",
        "sim/api/program.h",
        "planner/graph",
        "planner/plan",
        "planner/ops",
        "planner/cost/cost_oracle.h",
        "planner/cost/lower_bound.h",
    ],
    "planner/inter_stage": ["sim/base", "sim/api/hardware.h", "sim/api/ethernet_path.h", "planner/graph", "planner/plan", "planner/ops"],
    "planner/verify": ["sim/base", "sim/api", "planner/graph", "planner/plan", "planner/ops"],
    # Runs sub-graphs on a simulated server; server.h is plain data and the door to it.
    "planner/placement": [
        "sim/base",
        "sim/api/hardware.h",
        "sim/api/server.h",
        "planner/graph",
        "planner/plan",
        "planner/ops",
        "planner/frontend",
    ],
    # The report writes down the log of the loop, and which PE does which block: plain data, no search and no oracle is called.
    "planner/report": [
        "sim/base",
        "sim/api",
        "planner/graph",
        "planner/plan",
        "planner/ops",
        "planner/lower/mapping.h",
        "planner/loop/loop.h",
        "planner/intra_stage/optimizer.h",
    ],
    "planner/app": ["sim", "planner"],
}
# The one door between planner and simulator.
RUNNER_HEADER = "sim/api/program_runner.h"
MAY_INCLUDE_RUNNER = ["sim", "planner/cost/simulated.cpp", "planner/app"]
# Where SystemC may be included.
MAY_INCLUDE_SYSTEMC = [
    "sim/noc/noc.h",
    "sim/noc/noc.cpp",
    "sim/noc/ports.h",
    "sim/noc/textbook",
    "sim/mem",
    "sim/pe",
    "sim/eth",
    "sim/host",
    "sim/system",
]

INCLUDE = re.compile(r'^\s*#\s*include\s+(?:"([^"]+)"|<(systemc(?:\.h)?|sysc/[^>]*)>)')


def covered(path, entries):
    """True if `path` is one of `entries` or lies below one of them."""
    return any(path == entry or path.startswith(entry + "/") for entry in entries)


def breaches_of(root, file):
    name = file.relative_to(root).as_posix()
    room = "/".join(name.split("/")[:2])
    if room not in RULES:
        yield f"{name}:1: no rule for the room '{room}'; add it to scripts/check_layers.py"
        return
    for number, line in enumerate(file.read_text().splitlines(), start=1):
        found = INCLUDE.match(line)
        if not found:
            continue
        header, systemc = found.groups()
        where = f"{name}:{number}"
        if systemc:
            if systemc != "systemc":
                yield f"{where}: include <systemc>, not <{systemc}>"
            elif not covered(name, MAY_INCLUDE_SYSTEMC):
                yield f"{where}: {room} must not include SystemC here"
        elif header.startswith("generated/"):
            if room != "planner/app":
                yield f"{where}: only planner/app includes generated headers"
        elif not covered(header, [room, *RULES[room]]):
            yield f"{where}: {room} must not include {header}"
        elif header == RUNNER_HEADER and not covered(name, MAY_INCLUDE_RUNNER):
            yield f"{where}: only {', '.join(MAY_INCLUDE_RUNNER[1:])} include {RUNNER_HEADER}"
        elif not (root / header).is_file():
            yield f"{where}: there is no {header}; includes are relative to the root of the repository"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent).resolve()
    files = sorted(file for top in ("sim", "planner") for file in (root / top).rglob("*") if file.suffix in (".h", ".cpp"))
    breaches = [breach for file in files for breach in breaches_of(root, file)]
    for breach in breaches:
        print(breach)
    if breaches:
        return 1
    print(f"layers: {len(files)} files, no breach")
    return 0


if __name__ == "__main__":
    sys.exit(main())
