"""What DeepSpeed's own reader makes of texts: one JSON of them on stdin, one of what each is on stdout, null for those refused."""

import json
import sys

import hjson


def unique(pairs):
    read = dict(pairs)
    if len(read) != len(pairs):
        raise ValueError("duplicate keys")
    return read


def read(text):
    try:
        value = hjson.loads(text, object_pairs_hook=unique)
    except (ValueError, IndexError, TypeError, OverflowError):
        return None
    return value if isinstance(value, (dict, list)) else None


json.dump([read(text) for text in json.load(sys.stdin)], sys.stdout)
