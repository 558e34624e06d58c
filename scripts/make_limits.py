#!/usr/bin/env python3
"""Writes what the source says is `Not modelled:` into docs/limits.md: make_limits.py [--check] (only tells whether it would change).

What stands above the marker in that file is written by hand and kept.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "limits.md"
MARKER = "<!-- From here on made by scripts/make_limits.py; do not edit. -->\n"
ROOMS = {
    "sim/noc": "Network on chip",
    "sim/pe": "Processing elements",
    "sim/mem": "Memory",
    "sim/eth": "Ethernet",
    "sim/host": "Host and server",
    "sim": "Other parts of the simulator",
    "planner/ops": "Operators",
    "planner": "Planner",
}


def comments_of(text):
    """(first line, words) of every block of // comments."""
    start, words = 0, []
    for number, line in enumerate(text.split("\n") + [""], 1):
        match = re.match(r"\s*//[/!<]* ?(.*)", line)
        if match:
            start = start or number
            words.append(match[1].strip())
        elif words:
            yield start, " ".join(words)
            start, words = 0, []


def limits_of(text):
    """What stands behind each `Not modelled:`, up to the end of the sentence."""
    for _, comment in comments_of(text):
        for part in comment.split("Not modelled:")[1:]:
            sentence = re.match(r"\s*(.*?)\.(?=\s+[A-Z]|\s*$|\s+\()", part)
            yield (sentence[1] if sentence else part).strip().rstrip(".")


def room_of(path):
    return next(room for room in ROOMS if path.startswith(room + "/"))


def generated():
    found = {room: [] for room in ROOMS}
    files = [p for top in ("sim", "planner") for p in (ROOT / top).rglob("*") if p.suffix in (".h", ".cpp")]
    for path in sorted(files):
        name = path.relative_to(ROOT).as_posix()
        for limit in limits_of(path.read_text()):
            found[room_of(name)].append(f"- {limit} (`{name}`)\n")
    text = MARKER
    for room, title in ROOMS.items():
        if found[room]:
            text += f"\n## {title}\n\n" + "".join(found[room])
    return text


def main():
    head = PAGE.read_text().split(MARKER)[0]
    page = head + generated()
    if "--check" not in sys.argv[1:]:
        PAGE.write_text(page)
        return 0
    if PAGE.read_text() == page:
        return 0
    print("docs/limits.md is not what the sources say: run scripts/make_limits.py", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
