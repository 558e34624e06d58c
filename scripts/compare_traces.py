#!/usr/bin/env python3
"""Compares two traces of one run: compare_traces.py TRACE.json[.gz] TRACE.pftrace[.gz], or ONE.vcd OTHER.vcd.

A .pftrace is decoded by what protoc makes of docs/schemas/trace.proto (Debian: protobuf-compiler, python3-protobuf) and must
equal the JSON event for event: tracks, slices with times and arguments, arrows, values of counters. Two VCD files must hold the
same signals with the same changes; identifiers and order within a time do not count.
"""

import collections
import decimal
import gzip
import importlib
import json
import pathlib
import subprocess
import sys
import tempfile

SCHEMA = pathlib.Path(__file__).resolve().parent.parent / "docs" / "schemas" / "trace.proto"


def content_of(path):
    return gzip.open(path, "rb").read() if path.endswith(".gz") else pathlib.Path(path).read_bytes()


def trace_message():
    """The class of perfetto.protos.Trace, as protoc makes it."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            ["protoc", f"--proto_path={SCHEMA.parent}", f"--python_out={folder}", SCHEMA.name], check=True
        )
        sys.path.insert(0, folder)
        try:
            return importlib.import_module("trace_pb2")
        finally:
            sys.path.remove(folder)


def nanoseconds(microseconds):
    return int(microseconds * 1000)  # rounded down, as in the .pftrace


def events_of_json(text):
    """(slices by track, values by counter), each in the order of the file."""
    data = json.loads(text, parse_float=decimal.Decimal)
    groups, tracks = {}, {}
    slices, values = collections.defaultdict(list), collections.defaultdict(list)
    last = None
    for event in data["traceEvents"]:
        kind = event["ph"]
        if kind == "M" and event["name"] == "process_name":
            groups[event["pid"]] = event["args"]["name"]
        elif kind == "M" and event["name"] == "thread_name":
            tracks[event["pid"], event["tid"]] = (groups[event["pid"]], event["tid"], event["args"]["name"])
        elif kind == "X":
            start = decimal.Decimal(event["ts"])
            last = {
                "name": event["name"],
                "category": event["cat"],
                "from": nanoseconds(start),
                "until": nanoseconds(start + event["dur"]),
                "arguments": {name: str(value) for name, value in event["args"].items()},
            }
            slices[tracks[event["pid"], event["tid"]]].append(last)
        elif kind in "sf":
            last["out" if kind == "s" else "in"] = event["id"]
        elif kind == "C":
            (unit, value), = event["args"].items()
            values[groups[event["pid"]], event["name"], unit].append(
                (nanoseconds(decimal.Decimal(event["ts"])), float(value))
            )
    return dict(slices), dict(values)


class Decoder:
    """Packets of a .pftrace to the same form."""

    def __init__(self, schema):
        self.schema = schema
        self.groups, self.tracks, self.counters = {}, {}, {}
        self.texts = [{}, {}, {}, {}]
        self.slices, self.values = collections.defaultdict(list), collections.defaultdict(list)
        self.open = collections.defaultdict(list)

    def describe(self, track):
        if track.HasField("process"):
            self.groups[track.uuid] = track.process.process_name
        elif track.HasField("thread"):
            self.tracks[track.uuid] = (self.groups[track.parent_uuid], track.thread.tid, track.thread.thread_name)
        elif track.HasField("counter"):
            self.counters[track.uuid] = (self.groups[track.parent_uuid], track.name, track.counter.unit_name)

    def intern(self, data):
        tables = (data.event_categories, data.event_names, data.debug_annotation_names)
        for known, entries in zip(self.texts, tables):
            known.update({entry.iid: entry.name for entry in entries})
        self.texts[3].update({entry.iid: entry.str.decode() for entry in data.debug_annotation_string_values})

    def argument(self, annotation):
        text = annotation.HasField("string_value_iid")
        value = self.texts[3][annotation.string_value_iid] if text else str(annotation.uint_value)
        return self.texts[2][annotation.name_iid], value

    def event(self, time, event):
        kinds = self.schema.TrackEvent
        if event.type == kinds.TYPE_COUNTER:
            self.values[self.counters[event.track_uuid]].append((time, event.double_counter_value))
        elif event.type == kinds.TYPE_SLICE_BEGIN:
            begun = {
                "name": self.texts[1][event.name_iid],
                "category": self.texts[0][event.category_iids[0]],
                "from": time,
                "arguments": dict(self.argument(annotation) for annotation in event.debug_annotations),
            }
            if event.flow_ids:
                begun["out"] = event.flow_ids[0]
            self.slices[self.tracks[event.track_uuid]].append(begun)
            self.open[event.track_uuid].append(begun)
        elif event.type == kinds.TYPE_SLICE_END:
            ended = self.open[event.track_uuid].pop()
            ended["until"] = time
            if event.terminating_flow_ids:
                ended["in"] = event.terminating_flow_ids[0]


def events_of_pftrace(content):
    schema = trace_message()
    trace = schema.Trace()
    trace.ParseFromString(content)
    decoder = Decoder(schema)
    for packet in trace.packet:
        if packet.HasField("interned_data"):
            decoder.intern(packet.interned_data)
        if packet.HasField("track_descriptor"):
            decoder.describe(packet.track_descriptor)
        if packet.HasField("track_event"):
            decoder.event(packet.timestamp, packet.track_event)
    if any(decoder.open.values()):
        sys.exit("a slice of the .pftrace has no end")
    return dict(decoder.slices), dict(decoder.values)


def events_of_vcd(text):
    """{signal: [(time, value)]} of the changes."""
    names, scope, time = {}, [], 0
    changes = collections.defaultdict(list)
    defined = False  # the head has lines that look like changes ("1 ps")
    for line in text.split("\n"):
        part = line.split()
        if not part:
            continue
        if part[0] == "$enddefinitions":
            defined = True
        elif part[0] == "$scope":
            scope.append(part[2])
        elif part[0] == "$upscope":
            scope.pop()
        elif part[0] == "$var":
            names.setdefault(part[3], ".".join(scope + [part[4]]))
        elif not defined:
            continue
        elif part[0].startswith("#"):
            time = int(part[0][1:])
        elif part[0][0] in "br" and len(part) == 2:
            value = float(part[0][1:]) if part[0][0] == "r" else int(part[0][1:].replace("x", "0"), 2)
            changes[names[part[1]]].append((time, value))
        elif part[0][0] in "01" and len(part) == 1:
            changes[names[part[0][1:]]].append((time, int(part[0][0])))
    return {name: effective(list_) for name, list_ in changes.items()}


def effective(list_):
    """The last value of a time, without those that change nothing."""
    result = []
    for time, value in dict(list_).items():
        if not result or result[-1][1] != value:
            result.append((time, value))
    return result


def differences(a, b, what):
    for name in sorted(set(a) | set(b), key=str):
        one, other = a.get(name, []), b.get(name, [])
        if one == other:
            continue
        at = next((i for i, pair in enumerate(zip(one, other)) if pair[0] != pair[1]), min(len(one), len(other)))
        yield f"{what} {name}: {len(one)} and {len(other)} events, first difference at {at}: {one[at:at + 1]} {other[at:at + 1]}"


def main():
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    first, second = sys.argv[1:]
    if ".vcd" in first:
        a, b = (events_of_vcd(content_of(path).decode()) for path in (first, second))
        found = list(differences(a, b, "signal"))
        told = f"{len(a)} signals, {sum(map(len, a.values()))} changes"
    else:
        slices, values = events_of_json(content_of(first))
        other_slices, other_values = events_of_pftrace(content_of(second))
        found = list(differences(slices, other_slices, "track")) + list(differences(values, other_values, "counter"))
        told = f"{sum(map(len, slices.values()))} slices, {sum(map(len, values.values()))} values of counters"
    for line in found[:10]:
        print(line)
    print(f"{'DIFFERENT' if found else 'equal'}: {told}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
