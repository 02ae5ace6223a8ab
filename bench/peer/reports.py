"""The peer of the reports benchmark: renders a page of HTML as a tagged PDF with WeasyPrint, in a warm process.

    reports.py HTML ROUNDS FILE

Prints measurements as JSON: the seconds of each round after the first, which is not counted, and the size and pages of the PDF.
"""

import json
import pathlib
import sys
import time

from weasyprint import HTML
from weasyprint.text.fonts import FontConfiguration


def main():
    source, rounds, path = pathlib.Path(sys.argv[1]).read_text(), int(sys.argv[2]), sys.argv[3]
    fonts = FontConfiguration()
    seconds, pages = [], 0
    for _ in range(rounds + 1):
        started_at = time.perf_counter()
        document = HTML(string=source).render(font_config=fonts)
        document.write_pdf(path, pdf_variant="pdf/ua-1")
        seconds.append(time.perf_counter() - started_at)
        pages = len(document.pages)
    print(json.dumps({"seconds": seconds[1:], "bytes": pathlib.Path(path).stat().st_size, "pages": pages}))


if __name__ == "__main__":
    main()
