"""Compare exports of a million incursions as XLSX and Parquet with XlsxWriter and pyarrow, which get the same rows one by one."""

import json
import statistics
import subprocess

from servers import PEER, ensure_peer_venv

ROWS, FEW_ROWS = 1_000_000, 100_000


def run_json(*command):
    """Run a command and return the JSON that it prints."""
    command = [str(argument) for argument in command]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def rows(program, cache, folder, rounds):
    """Return the rows of this part of the results. The time to generate the rows is subtracted on both sides."""
    python = ensure_peer_venv(cache) / "bin" / "python"
    sides = {"ours": [program], "peer": [python, PEER / "exports.py"]}
    # The workbook of the peer takes minutes, so it is written only once.
    rounds_of = {("peer", "xlsx"): 1}
    results = {}
    for round_number in range(rounds):
        for kind in ("none", "parquet", "xlsx", "csv", "ndjson"):
            for side, command in sides.items():
                if round_number >= rounds_of.get((side, kind), rounds) or (side == "peer" and kind in ("csv", "ndjson")):
                    continue
                results.setdefault((side, kind), []).append(run_json(*command, kind, ROWS, folder / f"{side}.{kind}"))
    subprocess.run([python, PEER / "exports.py", "same", folder / "ours.parquet", folder / "peer.parquet"], check=True)
    median_of = lambda side, kind, key: statistics.median(result[key] for result in results[side, kind])
    seconds = lambda side, kind: median_of(side, kind, "seconds") - median_of(side, "none", "seconds")
    size = lambda side, kind: f"{median_of(side, kind, 'bytes') / 1e6:.0f} MB"
    peak = lambda result: result["peak_kb"] / 1024
    row_generation = lambda side: f"{median_of(side, 'none', 'seconds'):.1f} s"

    def speed(kind, peer):
        our_s, peer_s = seconds("ours", kind), seconds("peer", kind)
        return (
            f"{our_s:.2f} s, {size('ours', kind)}",
            f"{peer_s / our_s:.1f} times as fast as {peer}'s {peer_s:.1f} s, {size('peer', kind)}",
        )

    table = [
        ("1 M incursions as XLSX", *speed("xlsx", "XlsxWriter"), "faster"),
        ("1 M incursions as Parquet", *speed("parquet", "pyarrow"), "faster"),
    ]
    encoding_s = median_of("peer", "parquet", "encoding")
    table.append((
        "the same, compared with pyarrow from finished columns", f"{seconds('ours', 'parquet'):.2f} s",
        f"{encoding_s / seconds('ours', 'parquet'):.1f} times as fast as {encoding_s:.2f} s", "",
    ))
    for kind in ("csv", "ndjson"):
        table.append((f"1 M incursions as {kind.upper()}", f"{seconds('ours', kind):.2f} s, {size('ours', kind)}", "", ""))
    for kind, peer in (("xlsx", "XlsxWriter"), ("parquet", "pyarrow")):
        few_rows = run_json(program, kind, FEW_ROWS, folder / f"few.{kind}")
        peak_mb = max(peak(result) for result in results["ours", kind])
        peer_peak_mb = max(peak(result) for result in results["peer", kind])
        table.append((
            f"resident memory, {kind.upper() if kind == 'xlsx' else 'Parquet'}", f"{peak_mb:.0f} MB at most",
            f"{peak_mb - peak(few_rows):+.0f} MB since {FEW_ROWS:,} rows; {peer} {peer_peak_mb:.0f} MB", "flat",
        ))
    table.append(("generating the rows, which is subtracted", row_generation("ours"), f"the peers' {row_generation('peer')}", ""))
    return table
