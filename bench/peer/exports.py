"""The peer of the exports benchmark: writes the rows of crates/exports/examples/rows.rs with XlsxWriter and pyarrow.

    exports.py FORMAT ROWS FILE     FORMAT is xlsx, parquet, or none, which only generates the rows
    exports.py same FILE FILE       fails unless both Parquet files contain the same rows

Prints measurements as JSON. For Parquet, `encoding` is the time in seconds that pyarrow spent writing finished columns.
"""

import json
import os
import resource
import sys
import time

FIRST_US, OFFSET_US, SECOND_US, DAY_US = 1_767_225_600_000_000, 3_600_000_000, 1_000_000, 86_400_000_000
MACHINE_KINDS = ["excavator", "loader", "dump_truck", "crane", "roller", "telehandler", "forklift", "dozer"]
COLUMNS = [
    ("id", "Id", "integer"), ("seq", "Seq", "integer"), ("uid", "Uid", "text"), ("started_at", "Started at", "timestamp"),
    ("ended_at", "Ended at", "timestamp"), ("day", "Day", "date"), ("duration_ms", "Duration", "duration"),
    ("acknowledged", "Acknowledged", "boolean"), ("ack_ms", "Time to acknowledge", "duration"), ("zone", "Zone", "text"),
    ("closest_cm", "Closest (cm)", "integer"), ("lat", "Latitude", "decimal"), ("lon", "Longitude", "decimal"),
    ("machine", "Machine", "text"), ("machine_kind", "Kind of machine", "text"), ("base_station", "Base station", "text"),
    ("tag", "Tag", "text"), ("pedestrian", "Pedestrian", "text"), ("operator", "Operator", "text"),
    ("worksite", "Worksite", "text"), ("project", "Project", "text"),
]
GROUP_ROWS = 128 * 1024


def rows(count):
    state, at_us = 7, FIRST_US
    for row in range(count):
        state = (state * 6_364_136_223_846_793_005 + 1_442_695_040_888_963_407) & 0xFFFF_FFFF_FFFF_FFFF
        random_bits = state >> 16
        at_us += 1_000 * (random_bits % 30_000)
        machine, person = (random_bits >> 3) % 400, (random_bits >> 7) % 3_000
        operator, site = (random_bits >> 11) % 800, (random_bits >> 15) % 60
        duration_ms, acknowledged = 500 + (random_bits >> 5) % 59_500, (random_bits >> 9) % 5 != 0
        kind = MACHINE_KINDS[machine % 8]
        yield (
            row + 1, row * 3 + 7, f"ev-{random_bits:012x}", at_us, at_us + duration_ms * 1_000, (at_us + OFFSET_US) // DAY_US, duration_ms,
            acknowledged, duration_ms // 3 if acknowledged else None, "warning" if (random_bits >> 13) % 3 else "danger",
            20 + (random_bits >> 17) % 880, (52_500_000 + (random_bits >> 19) % 10_000) / 1e6, (13_400_000 + (random_bits >> 21) % 10_000) / 1e6,
            f"{kind} {machine}", kind, f"ST-{machine:04}", f"TAG-{person:05}", f"Person {person}" if person % 29 else None,
            f"Operator {operator}", f"Site {site} North", f"Project {site % 12}",
        )


def write_nothing(count, path):
    for _ in rows(count):
        pass
    return {}


def write_xlsx(count, path):
    """Write a workbook like that of Keepclear. Cells are written by the methods for their types, which are the fastest."""
    import xlsxwriter

    book = xlsxwriter.Workbook(path, {"constant_memory": True})
    sheet = book.add_worksheet("Incursions")
    formats = {
        "integer": "0", "decimal": "0.000000", "duration": "[h]:mm:ss", "date": r"dd\/mm\/yyyy", "timestamp": r"dd\/mm\/yyyy hh:mm:ss",
    }
    formats = {kind: book.add_format({"num_format": code}) for kind, code in formats.items()}
    bold = book.add_format({"bold": True})
    for column, (_, title, kind) in enumerate(COLUMNS):
        sheet.set_column(column, column, 20 if kind == "timestamp" else 12)
        sheet.write_string(0, column, title, bold)
    sheet.freeze_panes(1, 0)
    sheet.autofilter(0, 0, count, len(COLUMNS) - 1)
    kinds = [kind for _, _, kind in COLUMNS]
    number, string = sheet.write_number, sheet.write_string
    for line, row in enumerate(rows(count), 1):
        for column, (kind, value) in enumerate(zip(kinds, row)):
            if value is None:
                continue
            if kind == "text":
                string(line, column, value)
            elif kind == "boolean":
                sheet.write_boolean(line, column, value)
            elif kind == "timestamp":
                number(line, column, (value + OFFSET_US) / DAY_US + 25_569, formats[kind])
            elif kind == "date":
                number(line, column, value + 25_569, formats[kind])
            elif kind == "duration":
                number(line, column, value / 86_400_000, formats[kind])
            else:
                number(line, column, value, formats[kind])
    about = book.add_worksheet("About")
    for line, pair in enumerate([("Title", "Incursions"), ("Zones", "Europe/Berlin")]):
        about.write_row(line, 0, pair)
    book.close()
    return {}


def write_parquet(count, path):
    """Write typed columns in row groups of the same size as those of Keepclear, with the same codec."""
    import itertools

    import pyarrow
    import pyarrow.parquet

    types = {
        "integer": pyarrow.int64(), "duration": pyarrow.int64(), "decimal": pyarrow.float64(), "text": pyarrow.string(),
        "boolean": pyarrow.bool_(), "date": pyarrow.date32(), "timestamp": pyarrow.timestamp("us", "UTC"),
    }
    schema = pyarrow.schema([(key, types[kind]) for key, _, kind in COLUMNS])
    source, encoding = rows(count), 0
    with pyarrow.parquet.ParquetWriter(path, schema, compression="zstd", compression_level=1) as writer:
        while group := list(itertools.islice(source, GROUP_ROWS)):
            columns = [pyarrow.array(values, field.type) for values, field in zip(zip(*group), schema)]
            batch = pyarrow.record_batch(columns, schema=schema)
            started_at = time.perf_counter()
            writer.write_batch(batch, row_group_size=GROUP_ROWS)
            encoding += time.perf_counter() - started_at
    return {"encoding": round(encoding, 3)}


def assert_same(one, other):
    import pyarrow.parquet

    one, other = (pyarrow.parquet.read_table(path) for path in (one, other))
    assert one.schema.equals(other.schema), f"{one.schema}\n{other.schema}"
    assert one.equals(other), "the rows differ"


def main():
    if sys.argv[1] == "same":
        return assert_same(sys.argv[2], sys.argv[3])
    name, count, path = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    started_at = time.perf_counter()
    extra = {"none": write_nothing, "xlsx": write_xlsx, "parquet": write_parquet}[name](count, path)
    seconds = time.perf_counter() - started_at
    size = os.path.getsize(path) if name != "none" else 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(json.dumps({"rows": count, "seconds": round(seconds, 3), "bytes": size, "peak_kb": peak, **extra}))


if __name__ == "__main__":
    main()
