//! The committed OpenAPI documents match the code.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::{Map, Value};

use crate::docs::files_below;

/// Lists of operations have room for this many characters.
const MAX_SUMMARY_LENGTH: usize = 60;

/// Returns the text of each document with its name.
fn documents() -> [(&'static str, String); 3] {
    [
        ("v1", api_v1::openapi().to_pretty_json().unwrap()),
        ("v2", api_v2::openapi().to_pretty_json().unwrap()),
        ("ingest", ::ingest::openapi().to_pretty_json().unwrap()),
    ]
}

/// Returns each document with its name.
fn parsed_documents() -> [(&'static str, Value); 3] {
    documents().map(|(name, text)| (name, serde_json::from_str(&text).unwrap()))
}

/// Returns every operation of a document with its name, such as `GET /api/v1/tags`.
fn operations(document: &Value) -> Vec<(String, &Value)> {
    let mut all = Vec::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            all.push((format!("{} {path}", method.to_uppercase()), operation));
        }
    }
    all
}

/// Returns the target of every `$ref` below a node.
fn references(node: &Value) -> BTreeSet<&str> {
    match node {
        Value::Object(members) => {
            let own = members.get("$ref").and_then(Value::as_str);
            members.values().flat_map(references).chain(own).collect()
        }
        Value::Array(items) => items.iter().flat_map(references).collect(),
        _ => BTreeSet::new(),
    }
}

#[test]
fn the_committed_documents_are_current() {
    for (name, document) in documents() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../openapi/{name}.json"));
        let committed = std::fs::read_to_string(&path).unwrap_or_default();
        let current = document + "\n";
        assert!(
            committed == current,
            "openapi/{name}.json is stale: run `make openapi` and commit what it changes"
        );
        assert!(current.contains("\"openapi\": \"3.1"), "{name} is OpenAPI 3.1");
    }
}

#[test]
fn operations_have_names_of_their_own_and_words() {
    for (_, document) in parsed_documents() {
        let mut names = Vec::new();
        for (name, operation) in operations(&document) {
            names.push(operation["operationId"].as_str().unwrap().to_owned());
            for part in ["summary", "description"] {
                let text = operation[part].as_str();
                assert!(text.is_some_and(|text| text.len() > 10), "{name} has no {part}");
            }
            let summary = operation["summary"].as_str().unwrap_or_default();
            let is_short = summary.chars().count() <= MAX_SUMMARY_LENGTH && !summary.ends_with('.');
            assert!(is_short, "{name}: {summary}");
        }
        let count = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}

#[test]
fn what_is_referred_to_exists_and_what_exists_is_referred_to() {
    for (name, document) in parsed_documents() {
        let targets = references(&document);
        for target in &targets {
            let found = target.strip_prefix('#').and_then(|pointer| document.pointer(pointer));
            assert!(found.is_some(), "{name}: {target} does not exist");
        }
        for kind in ["schemas", "responses", "headers"] {
            for part in document["components"][kind].as_object().into_iter().flat_map(Map::keys) {
                let target = format!("#/components/{kind}/{part}");
                assert!(targets.contains(target.as_str()), "{name}: nothing refers to {target}");
            }
        }
    }
}

#[test]
fn tags_are_declared_and_described() {
    for (name, document) in parsed_documents() {
        let declared: BTreeMap<&str, &str> = document["tags"]
            .as_array()
            .unwrap()
            .iter()
            .map(|tag| (tag["name"].as_str().unwrap(), tag["description"].as_str().unwrap_or_default()))
            .collect();
        let used: BTreeSet<&str> = operations(&document)
            .into_iter()
            .flat_map(|(_, operation)| operation["tags"].as_array().unwrap())
            .map(|tag| tag.as_str().unwrap())
            .collect();
        assert_eq!(declared.keys().copied().collect::<BTreeSet<_>>(), used, "{name}");
        for (tag, description) in declared {
            assert!(description.len() > 10, "{name}: {tag} has no description");
            assert!(!tag.contains('_'), "{name}: {tag} is written with blanks");
        }
    }
}

#[test]
fn every_answer_is_documented() {
    for (name, document) in parsed_documents() {
        let resolved = |node: &Value| match node["$ref"].as_str() {
            Some(target) => document.pointer(target.trim_start_matches('#')).unwrap().clone(),
            None => node.clone(),
        };
        for (operation_name, operation) in operations(&document) {
            let place = format!("{name}: {operation_name}");
            let responses = operation["responses"].as_object().unwrap();
            for (status, response) in responses {
                let response = resolved(response);
                let described = response["description"].as_str().is_some_and(|text| text.len() > 5);
                assert!(described, "{place}: {status} has no description");
                let expected: &[&str] = match status.as_str() {
                    "201" => &["Location", "RateLimit", "RateLimit-Policy", "X-Request-Id"],
                    "304" => &["ETag", "RateLimit", "RateLimit-Policy", "X-Request-Id"],
                    "401" => &["WWW-Authenticate"],
                    "429" => &["Retry-After", "RateLimit", "RateLimit-Policy", "X-Request-Id"],
                    "503" => &["Retry-After"],
                    status if status.starts_with('2') => &["RateLimit", "RateLimit-Policy", "X-Request-Id"],
                    _ => &[],
                };
                for header in expected {
                    assert!(response["headers"].get(header).is_some(), "{place}: {status} has no {header}");
                }
            }
            for status in ["400", "429", "500", "503"] {
                assert!(responses.contains_key(status), "{place}: {status} is not documented");
            }
            let parameters = operation["parameters"].as_array().map(Vec::as_slice).unwrap_or_default();
            if parameters.iter().any(|parameter| parameter["name"] == "Idempotency-Key") {
                assert!(responses.contains_key("409"), "{place}: 409 is not documented");
            }
            let is_write = !operation_name.starts_with("GET ");
            let by_cookie = operation_name.contains(" /api/v1/") && !operation_name.contains("/tester/");
            if is_write && by_cookie {
                let forbidden = responses["403"]["description"].as_str().unwrap();
                assert!(forbidden.contains("`cross_site_request`"), "{place}");
            }
        }
    }
}

#[test]
fn headers_are_texts_that_may_be_left_out() {
    let mut found = 0;
    for (name, document) in parsed_documents() {
        for (operation_name, operation) in operations(&document) {
            let parameters = operation["parameters"].as_array().map(Vec::as_slice).unwrap_or_default();
            for header in parameters.iter().filter(|parameter| parameter["in"] == "header") {
                let (kind, required) = (&header["schema"]["type"], &header["required"]);
                assert_eq!((kind, required), (&"string".into(), &false.into()), "{name}: {operation_name}");
                found += 1;
            }
        }
    }
    assert!(found > 50, "only {found} headers");
}

/// The members of a reference: whoever follows it gets the record with its times.
const MEMBERS_OF_REFERENCES: [&str; 6] = ["type", "id", "name", "serial", "kind", "label"];

/// Schemas with an id that are not records, and why.
const WITHOUT_TIMES: [(&[&str], &str); 8] = [
    (&["AlertRecipient"], "it is changed with its alert"),
    (
        &["EntityDevice", "EntityLink", "PageMachine", "MissingRecord", "OpenAlertRecord"],
        "they refer to a record",
    ),
    (&["EventClip", "IncursionClip"], "they refer to a clip, whose record is at /api/v1/video_clips"),
    (&["SessionUser", "EndedSession"], "they show who is signed in, or that a session has ended"),
    (&["GoneIncursion"], "it says that a record is no longer visible"),
    (&["HexagonFeature", "PositionFeature", "PivotKey", "SiteReportFact"], "they are computed for an answer"),
    (
        &[
            "TimelineHead",
            "TimelineIncursion",
            "TimelineLogEntry",
            "TimelineStatus",
            "TimelineTagBattery",
            "TimelineTagTest",
            "TimelineMessage",
            "TimelineClip",
            "TimelineRuntime",
        ],
        "they refer to a record, or are a report of a device, which never changes",
    ),
    (&["PendingClip", "PendingMessage", "ReportedClip"], "they are what a device has to do or has done"),
];

/// Returns the references of everything that successful answers consist of.
fn answered_parts(document: &Value) -> BTreeSet<&str> {
    let mut open: Vec<&str> = operations(document)
        .into_iter()
        .flat_map(|(_, operation)| operation["responses"].as_object().unwrap())
        .filter(|(status, _)| status.starts_with('2'))
        .flat_map(|(_, response)| references(response))
        .collect();
    let mut found = BTreeSet::new();
    while let Some(target) = open.pop() {
        if found.insert(target) {
            open.extend(references(document.pointer(target.trim_start_matches('#')).unwrap()));
        }
    }
    found
}

/// Returns the members of an object, and which of them are required.
fn members<'a>(document: &'a Value, schema: &'a Value) -> (BTreeMap<&'a str, &'a Value>, BTreeSet<&'a str>) {
    if let Some(target) = schema["$ref"].as_str() {
        return members(document, document.pointer(target.trim_start_matches('#')).unwrap());
    }
    let own = schema["properties"].as_object().into_iter().flatten();
    let mut all: BTreeMap<&str, &Value> = own.map(|(name, of)| (name.as_str(), of)).collect();
    let required = schema["required"].as_array().into_iter().flatten();
    let mut required: BTreeSet<&str> = required.filter_map(Value::as_str).collect();
    for part in schema["allOf"].as_array().into_iter().flatten() {
        let (further, further_required) = members(document, part);
        all.extend(further);
        required.extend(further_required);
    }
    (all, required)
}

#[test]
fn records_show_when_they_were_created_and_last_changed() {
    let excepted: BTreeSet<&str> = WITHOUT_TIMES.into_iter().flat_map(|(names, _)| names).copied().collect();
    let mut unused = excepted.clone();
    for (name, document) in parsed_documents() {
        for target in answered_parts(&document) {
            let Some(schema) = target.strip_prefix("#/components/schemas/") else { continue };
            let (all, required) = members(&document, document.pointer(&target[1..]).unwrap());
            let is_reference = all.keys().all(|member| MEMBERS_OF_REFERENCES.contains(member));
            if !required.contains("id") || is_reference {
                continue;
            }
            // The times of a JSON:API resource are attributes, of which a client can leave out some.
            let attributes = all.get("attributes").copied();
            let shown = attributes.map_or(all, |attributes| members(&document, attributes).0);
            let has_times = ["created_at", "updated_at"].iter().all(|time| shown.contains_key(time));
            if !has_times {
                assert!(excepted.contains(schema), "{name}: {schema} has an id and lacks a time");
                unused.remove(schema);
            }
        }
    }
    assert!(unused.is_empty(), "{unused:?} need no exception");
}

/// A document has one schema of each name, so two types of the same name would silently become one.
#[test]
fn types_of_one_document_have_different_names() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for version in ["api_v1", "api_v2", "ingest"] {
        let mut found: BTreeMap<String, String> = BTreeMap::new();
        for part in [version, "web"] {
            for file in files_below(&crates.join(part).join("src"), "rs") {
                for name in schema_types(&std::fs::read_to_string(&file).unwrap()) {
                    let file = file.display().to_string();
                    if let Some(other) = found.insert(name.clone(), file.clone()) {
                        panic!("{name} is a schema in {other} and in {file}");
                    }
                }
            }
        }
        assert!(found.len() > 20, "only {} schemas are found in {version}", found.len());
    }
}

/// Returns the names of the types in a file whose attributes make them schemas.
fn schema_types(code: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut is_schema = false;
    for line in code.lines().map(str::trim).take_while(|line| *line != "#[cfg(test)]") {
        if line.starts_with("#[") {
            is_schema |= ["ToSchema", "::answer", "web::body"].iter().any(|word| line.contains(word));
            continue;
        }
        let mut words = line.strip_prefix("pub ").unwrap_or(line).split(|c: char| !c.is_alphanumeric());
        match (words.next(), words.next()) {
            (Some("struct" | "enum"), Some(name)) => {
                if is_schema {
                    names.push(name.to_owned());
                }
                is_schema = false;
            }
            (Some("fn" | "impl" | "async" | "use" | "mod" | "type" | "const"), _) => is_schema = false,
            _ => {}
        }
    }
    names
}

/// The name of a list follows from the name of its rows, so two lists can get the same one. The document would silently show one of them
/// for both.
#[test]
fn every_list_is_shown_with_its_own_rows() {
    for (version, (_, document)) in ["api_v1", "api_v2", "ingest"].into_iter().zip(parsed_documents()) {
        let schemas = &document["components"]["schemas"];
        // Not every document has all lists of `web`.
        let shared = declared_lists("web").into_iter().filter(|list| schemas.get(&list.name).is_some());
        for DeclaredList { name, row, page } in declared_lists(version).into_iter().chain(shared) {
            let Some(schema) = schemas.get(&name) else {
                panic!("{version}: {name}, a list of {row}, has another name in OpenAPI")
            };
            let expected = [("/properties/data/items/$ref", row.as_str()), ("/properties/page/$ref", page)];
            for (pointer, target) in expected {
                let target = format!("#/components/schemas/{target}");
                let found = schema.pointer(pointer).and_then(Value::as_str);
                assert_eq!(found, Some(target.as_str()), "{version}: {name}");
            }
        }
    }
}

/// A list by the names of its types.
struct DeclaredList {
    name: String,
    row: String,
    page: &'static str,
}

/// Returns the lists of a crate, which are declared as `pub type TagList = RegistryList<Tag>;`.
fn declared_lists(crate_name: &str) -> Vec<DeclaredList> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(crate_name).join("src");
    let mut lists = Vec::new();
    for file in files_below(&folder, "rs") {
        let code = std::fs::read_to_string(&file).unwrap();
        for line in code.lines().map(str::trim).filter(|line| line.contains("List<")) {
            let list = declared_list(line);
            // `web` also defines what a list is.
            assert!(list.is_some() || crate_name == "web", "{}: {line} has no `pub type`", file.display());
            lists.extend(list);
        }
    }
    lists
}

fn declared_list(line: &str) -> Option<DeclaredList> {
    let (name, list) = line.strip_prefix("pub type ")?.strip_suffix(">;")?.split_once(" = ")?;
    let (row, page) = match list.strip_prefix("RegistryList<") {
        Some(row) => (row, "RegistryPageInfo"),
        None => (list.strip_prefix("List<")?, "PageInfo"),
    };
    Some(DeclaredList { name: name.to_owned(), row: row.to_owned(), page })
}
