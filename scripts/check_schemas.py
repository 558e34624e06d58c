#!/usr/bin/env python3
"""Checks JSON files against their schema in docs/schemas: check_schemas.py FILE...

The schema is chosen by the file's name (measurement.json: measurement.schema.json; trace.json.gz is unpacked). Knows the
keywords that the schemas use and refuses others, so that a schema cannot promise what is not checked. Where the Python package
jsonschema is installed (Debian: python3-jsonschema), it must agree.
"""

import gzip
import json
import pathlib
import sys

try:
    import jsonschema
except ImportError:
    jsonschema = None

SCHEMAS = pathlib.Path(__file__).resolve().parent.parent / "docs" / "schemas"
TYPES = {
    "object": dict,
    "array": list,
    "string": str,
    "boolean": bool,
    "integer": int,
    "number": (int, float),
    "null": type(None),
}
IGNORED = {"$schema", "$defs", "title", "description"}


def is_type(value, name):
    if isinstance(value, bool) and name != "boolean":
        return False
    return isinstance(value, TYPES[name])


def mistakes(value, schema, where, root):
    """Yields "place: what is wrong" for everything in `value` that `schema` does not allow."""
    for keyword, rule in schema.items():
        if keyword in IGNORED:
            continue
        if keyword == "$ref":
            yield from mistakes(value, root["$defs"][rule.removeprefix("#/$defs/")], where, root)
        elif keyword == "anyOf":
            found = [list(mistakes(value, choice, where, root)) for choice in rule]
            if all(found):
                yield from min(found, key=len)
        elif keyword == "type":
            names = rule if isinstance(rule, list) else [rule]
            if not any(is_type(value, name) for name in names):
                yield f"{where}: is no {' or '.join(names)}"
                return
        elif keyword == "const":
            if value != rule:
                yield f"{where}: is not {rule!r}"
        elif keyword == "enum":
            if value not in rule:
                yield f"{where}: {value!r} is none of {rule}"
        elif keyword == "minimum":
            if value < rule:
                yield f"{where}: {value} is below {rule}"
        elif keyword == "minItems":
            if len(value) < rule:
                yield f"{where}: has fewer than {rule} items"
        elif keyword == "required":
            for key in rule:
                if isinstance(value, dict) and key not in value:
                    yield f"{where}: has no '{key}'"
        elif keyword == "properties":
            for key, part in rule.items():
                if isinstance(value, dict) and key in value:
                    yield from mistakes(value[key], part, f"{where}/{key}", root)
        elif keyword == "additionalProperties":
            for key in value if isinstance(value, dict) else ():
                if key in schema.get("properties", {}):
                    continue
                if rule is False:
                    yield f"{where}: '{key}' is not in the schema"
                elif isinstance(rule, dict):
                    yield from mistakes(value[key], rule, f"{where}/{key}", root)
        elif keyword == "items":
            for index, item in enumerate(value if isinstance(value, list) else ()):
                yield from mistakes(item, rule, f"{where}/{index}", root)
        else:
            yield f"{where}: the schema uses '{keyword}', which is not checked"


def content_of(path):
    """The parsed file and the name of its schema."""
    packed = path.suffix == ".gz"
    text = gzip.open(path, "rt").read() if packed else path.read_text()
    return json.loads(text), path.name.split(".")[0]


def all_mistakes(value, schema):
    found = list(mistakes(value, schema, "", schema))
    if jsonschema is not None:
        jsonschema.Draft202012Validator.check_schema(schema)
        for error in jsonschema.Draft202012Validator(schema).iter_errors(value):
            place = "".join(f"/{part}" for part in error.absolute_path)
            found.append(f"{place}: jsonschema: {error.message[:200]}")
    return found


def main():
    if len(sys.argv) < 2:
        print(__doc__.splitlines()[0], file=sys.stderr)
        return 2
    failed = False
    for name in sys.argv[1:]:
        value, kind = content_of(pathlib.Path(name))
        schema = json.loads((SCHEMAS / (kind + ".schema.json")).read_text())
        found = all_mistakes(value, schema)
        for mistake in found[:20]:
            print(f"{name}{mistake}")
        failed = failed or bool(found)
        if not found:
            print(f"{name}: as its schema says")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
