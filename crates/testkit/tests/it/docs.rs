//! References in documents to code and tests must lead to something that exists.

use std::path::{Path, PathBuf};

/// Documents whose references are checked.
const DOCUMENTS: [&str; 2] = ["docs/security.md", "docs/shares.md"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Returns the texts between backticks.
fn references(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

fn is_test_path(reference: &str) -> bool {
    let is_word = |part: &str| {
        !part.is_empty()
            && part.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
    };
    reference.contains("::") && reference.split("::").all(is_word)
}

/// Tells whether a module path leads to a file or folder of tests, or to a function in one.
fn test_exists(reference: &str) -> bool {
    let tests = root().join("crates/testkit/tests/it");
    let parts: Vec<&str> = reference.split("::").collect();
    let module = |parts: &[&str]| {
        let path = tests.join(parts.join("/"));
        [path.with_extension("rs"), path.join("mod.rs")].into_iter().find(|file| file.exists())
    };
    if module(&parts).is_some() {
        return true;
    }
    let Some((function, parents)) = parts.split_last() else { return false };
    module(parents).is_some_and(|file| {
        let text = std::fs::read_to_string(file).unwrap();
        text.contains(&format!("fn {function}("))
    })
}

/// Expands `{a,b}` into its alternatives.
fn expand_braces(path: &str) -> Vec<String> {
    let Some((before, (inside, after))) =
        path.split_once('{').and_then(|(before, rest)| Some((before, rest.split_once('}')?)))
    else {
        return vec![path.to_owned()];
    };
    inside.split(',').map(|one| format!("{before}{one}{after}")).collect()
}

#[test]
fn what_documents_name_exists() {
    let mut missing = Vec::new();
    for document in DOCUMENTS {
        let text = std::fs::read_to_string(root().join(document)).unwrap();
        for reference in references(&text) {
            if is_test_path(reference) {
                if !test_exists(reference) {
                    missing.push(format!("{document}: no test {reference}"));
                }
            } else if reference.contains("/src/") {
                let files = expand_braces(reference);
                let is_there = |file: &String| root().join("crates").join(file).exists();
                missing.extend(
                    files
                        .into_iter()
                        .filter(|file| !is_there(file))
                        .map(|file| format!("{document}: no file {file}")),
                );
            }
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

#[test]
fn a_reference_to_nothing_is_found() {
    assert!(test_exists("docs::what_documents_name_exists") && test_exists("edge::errors"));
    assert!(!test_exists("docs::nobody_wrote_this") && !test_exists("nowhere::at_all"));
    assert!(is_test_path("edge::errors") && !is_test_path("Caller::new") && !is_test_path("limits"));
}
