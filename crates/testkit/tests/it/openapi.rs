//! The committed OpenAPI documents match the code.

use std::path::Path;

#[test]
fn the_committed_documents_are_current() {
    for (name, document) in
        [("v1", api_v1::openapi()), ("v2", api_v2::openapi()), ("ingest", ::ingest::openapi())]
    {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../openapi/{name}.json"));
        let committed = std::fs::read_to_string(&path).unwrap_or_default();
        let current = document.to_pretty_json().unwrap() + "\n";
        assert!(
            committed == current,
            "openapi/{name}.json is stale: run `make openapi` and commit what it changes"
        );
        assert!(current.contains("\"openapi\": \"3.1"), "{name} is OpenAPI 3.1");
    }
}

#[test]
fn operations_have_names_of_their_own_and_words() {
    for document in [api_v1::openapi(), api_v2::openapi(), ::ingest::openapi()] {
        let document = serde_json::to_value(document).unwrap();
        let mut names = Vec::new();
        for (path, methods) in document["paths"].as_object().unwrap() {
            for operation in methods.as_object().unwrap().values() {
                names.push(operation["operationId"].as_str().unwrap().to_owned());
                assert!(
                    operation["summary"].as_str().is_some_and(|text| text.len() > 10),
                    "{path} says what it does"
                );
            }
        }
        let count = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
