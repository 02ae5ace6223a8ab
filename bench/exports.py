"""A million incursions as XLSX and as Parquet, beside XlsxWriter and pyarrow, which are given the same rows one by one."""

import json
import pathlib
import statistics
import subprocess

from servers import PEER, ensure_peer

ROWS, FEW = 1_000_000, 100_000


def run(*words):
    words = [str(word) for word in words]
    return json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)


def rows(program, cache, folder, rounds):
    """The rows of the results. Times are less what making the rows takes, on both sides."""
    python = ensure_peer(cache) / "bin" / "python"
    sides = {"ours": [program], "peer": [python, PEER / "exports.py"]}
    # The peer's workbook takes minutes: once is enough.
    times = {("peer", "xlsx"): 1}
    seen = {}
    for turn in range(rounds):
        for kind in ("none", "parquet", "xlsx", "csv", "ndjson"):
            for side, command in sides.items():
                if turn >= times.get((side, kind), rounds) or (side == "peer" and kind in ("csv", "ndjson")):
                    continue
                seen.setdefault((side, kind), []).append(run(*command, kind, ROWS, folder / f"{side}.{kind}"))
    subprocess.run([python, PEER / "exports.py", "same", folder / "ours.parquet", folder / "peer.parquet"], check=True)
    middle = lambda side, kind, what: statistics.median(one[what] for one in seen[side, kind])
    seconds = lambda side, kind: middle(side, kind, "seconds") - middle(side, "none", "seconds")
    size = lambda side, kind: f"{middle(side, kind, 'bytes') / 1e6:.0f} MB"
    peak = lambda one: one["peak_kb"] / 1024
    made = lambda side: f"{middle(side, 'none', 'seconds'):.1f} s"

    def speed(kind, peer):
        ours, theirs = seconds("ours", kind), seconds("peer", kind)
        return (
            f"{ours:.2f} s, {size('ours', kind)}",
            f"{theirs / ours:.1f} times as fast as {peer}'s {theirs:.1f} s, {size('peer', kind)}",
        )

    table = [
        ("1 M incursions as XLSX", *speed("xlsx", "XlsxWriter"), "faster"),
        ("1 M incursions as Parquet", *speed("parquet", "pyarrow"), "faster"),
    ]
    ready = middle("peer", "parquet", "encoding")
    table.append((
        "the same, beside pyarrow with columns that are ready", f"{seconds('ours', 'parquet'):.2f} s",
        f"{ready / seconds('ours', 'parquet'):.1f} times as fast as {ready:.2f} s", "",
    ))
    for kind in ("csv", "ndjson"):
        table.append((f"1 M incursions as {kind.upper()}", f"{seconds('ours', kind):.2f} s, {size('ours', kind)}", "", ""))
    for kind, peer in (("xlsx", "XlsxWriter"), ("parquet", "pyarrow")):
        few = run(program, kind, FEW, folder / f"few.{kind}")
        many = max(peak(one) for one in seen["ours", kind])
        theirs = max(peak(one) for one in seen["peer", kind])
        table.append((
            f"resident memory, {kind.upper() if kind == 'xlsx' else 'Parquet'}", f"{many:.0f} MB at most",
            f"{many - peak(few):+.0f} MB since {FEW:,} rows; {peer} {theirs:.0f} MB", "flat",
        ))
    table.append(("making the rows, which is taken off", made("ours"), f"the peers' {made('peer')}", ""))
    return table
