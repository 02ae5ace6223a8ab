//! What is in a PDF, by the programs that others use: poppler and qpdf (`tools/ensure-pdf-tools`).

use std::io::Write;
use std::process::Command;

/// Returns the text as it is seen, with a form feed after each page.
pub fn text(bytes: &[u8]) -> String {
    run("pdftotext", &["-layout"], bytes, &["-"])
}

/// Returns the text in the order of the file, which is the one in which it is read.
pub fn text_in_order(bytes: &[u8]) -> String {
    run("pdftotext", &["-raw"], bytes, &["-"])
}

/// Returns the properties, such as the title and the size of the pages.
pub fn properties(bytes: &[u8]) -> String {
    run("pdfinfo", &[], bytes, &[])
}

/// Lists the pictures that are no vectors.
pub fn images(bytes: &[u8]) -> String {
    run("pdfimages", &["-list"], bytes, &[])
}

/// Returns the logical structure with its text, as a screen reader reads it, without numbers of objects and positions.
pub fn structure(bytes: &[u8]) -> String {
    let said = run("pdfinfo", &["-struct-text"], bytes, &[]);
    let lines = said.lines().map(|line| {
        let cut = ["Object ", "/BBox "].iter().find_map(|word| Some(line.find(word)? + word.len() - 1));
        &line[..cut.unwrap_or(line.len())]
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Checks that a file is sound, and that it says that it is PDF/A-2a and PDF/UA-1.
#[track_caller]
pub fn check(bytes: &[u8]) {
    let said = run("qpdf", &["--check"], bytes, &[]);
    assert!(said.contains("No syntax or stream encoding errors found"), "{said}");
    let metadata = run("pdfinfo", &["-meta"], bytes, &[]);
    for expected in ["<pdfaid:part>2<", "<pdfaid:conformance>A<", "<pdfuaid:part>1<"] {
        assert!(metadata.contains(expected), "{expected} is missing: {metadata}");
    }
}

fn run(program: &str, before: &[&str], bytes: &[u8], after: &[&str]) -> String {
    testbed::needs_fetched(program);
    let folder = testkit::temporary_folder();
    let mut file = tempfile::NamedTempFile::new_in(folder.path()).unwrap();
    file.write_all(bytes).unwrap();
    let output = Command::new(program).args(before).arg(file.path()).args(after).output();
    let output = output
        .unwrap_or_else(|error| panic!("{program} cannot be run ({error}); see tools/ensure-pdf-tools"));
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{program}: {said}{}", String::from_utf8_lossy(&output.stderr));
    said
}
