//! Documents that point at code, tests or one another must point at something that exists.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Documents in the root of the repository whose references are checked, besides everything under `docs`.
const DOCUMENTS: [&str; 2] = ["ARCHITECTURE.md", "README.md"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Lists the files below a folder that have this extension.
pub fn files_below(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|found| found == extension) {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

/// Returns the path of each document from the root, and its text.
fn documents() -> Vec<(String, String)> {
    let root = root();
    let mut paths: Vec<PathBuf> = DOCUMENTS.iter().map(|name| root.join(name)).collect();
    paths.extend(files_below(&root.join("docs"), "md"));
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).unwrap();
        (path.strip_prefix(&root).unwrap().display().to_string(), without_code_blocks(&text))
    };
    paths.into_iter().map(read).collect()
}

fn without_code_blocks(text: &str) -> String {
    let mut is_code = false;
    let is_text = |line: &&str| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        !is_code && !is_fence
    };
    text.lines().filter(is_text).collect::<Vec<_>>().join("\n")
}

/// Returns the texts between backticks.
fn references(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// Returns the targets of links, without headings.
fn links(text: &str) -> impl Iterator<Item = &str> {
    text.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next())
}

fn is_test_path(reference: &str) -> bool {
    let is_word = |part: &str| {
        !part.is_empty()
            && part.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
    };
    reference.contains("::") && reference.split("::").all(is_word)
}

/// Returns whether a module path leads to a file or folder of tests, or to a function in one.
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

fn is_code_path(reference: &str) -> bool {
    let is_path = reference.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-./{,}".contains(&byte));
    let is_of_a_crate = reference.starts_with("crates/") || format!("{reference}/").contains("/src/");
    is_path && (is_of_a_crate || reference.ends_with(".rs"))
}

/// Returns whether this is a path from the root or from `crates`, or the end of the path of one of the sources: `contract/proof.rs`.
fn path_exists(path: &str, sources: &[PathBuf]) -> bool {
    let path = path.strip_prefix("crates/").unwrap_or(path);
    root().join("crates").join(path).exists() || sources.iter().any(|source| source.ends_with(path))
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
    let sources = files_below(&root().join("crates"), "rs");
    let mut missing = Vec::new();
    for (document, text) in documents() {
        for reference in references(&text) {
            if is_test_path(reference) {
                if !test_exists(reference) {
                    missing.push(format!("{document}: no test {reference}"));
                }
            } else if is_code_path(reference) {
                let files = expand_braces(reference).into_iter().filter(|file| !path_exists(file, &sources));
                missing.extend(files.map(|file| format!("{document}: no file {file}")));
            }
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

#[test]
fn links_of_documents_lead_to_files() {
    let mut missing = Vec::new();
    for (document, text) in documents() {
        let file = root().join(&document);
        let folder = file.parent().unwrap();
        let is_elsewhere = |link: &&str| link.contains("://") || link.starts_with("mailto:");
        let lost = links(&text).filter(|link| !is_elsewhere(link) && !folder.join(link).exists());
        missing.extend(lost.map(|link| format!("{document}: no file {link}")));
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

#[test]
fn the_map_of_the_code_stays_short() {
    let map = std::fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    assert!(map.lines().count() < 250, "details belong in docs/walks.md, reasons in docs/decisions");
}

#[test]
fn a_module_with_children_is_a_folder() {
    let sources = files_below(&root().join("crates"), "rs");
    let folders: BTreeSet<&Path> = sources.iter().filter_map(|source| source.parent()).collect();
    let beside_its_folder = |source: &&PathBuf| folders.contains(source.with_extension("").as_path());
    let found: Vec<&PathBuf> = sources.iter().filter(beside_its_folder).collect();
    assert!(found.is_empty(), "these should be the mod.rs of their folders: {found:?}");
}

#[test]
fn a_reference_to_nothing_is_found() {
    assert!(test_exists("docs::what_documents_name_exists") && test_exists("edge::errors"));
    assert!(!test_exists("docs::nobody_wrote_this") && !test_exists("nowhere::at_all"));
    assert!(is_test_path("edge::errors") && !is_test_path("Caller::new") && !is_test_path("limits"));
    let sources = files_below(&root().join("crates/testkit/tests"), "rs");
    for path in ["crates/testkit/src", "testkit/src/lib.rs", "it/docs.rs"] {
        assert!(is_code_path(path) && path_exists(path, &sources), "{path}");
    }
    for path in ["crates/nowhere", "testkit/src/nothing.rs", "nowhere/docs.rs"] {
        assert!(is_code_path(path) && !path_exists(path, &sources), "{path}");
    }
    assert!(!is_code_path("/api/v1/session") && !is_code_path("keepclear check"));
    assert_eq!(links("[a](b.md#c), [d](#e)").collect::<Vec<_>>(), ["b.md", ""]);
}
