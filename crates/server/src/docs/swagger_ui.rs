//! The files of Swagger UI, from the archive in which they are published.

use axum::Router;
use axum::response::Redirect;
use axum::routing::get;
use http::{HeaderMap, header};
use utoipa_swagger_ui_vendored::SWAGGER_UI_VENDORED;
use web::{EdgeState, PathText, unknown_path_handler};

use super::archive::ArchivedFile;
use super::content_coding::{accepts_gzip, respond};

/// The files that its page uses, with their media types. The archive has more, for other uses.
const FILES: [(&str, &str); 7] = [
    ("favicon-16x16.png", "image/png"),
    ("favicon-32x32.png", "image/png"),
    ("index.css", "text/css; charset=utf-8"),
    ("index.html", "text/html; charset=utf-8"),
    ("swagger-ui-bundle.js", JAVASCRIPT),
    ("swagger-ui-standalone-preset.js", JAVASCRIPT),
    ("swagger-ui.css", "text/css; charset=utf-8"),
];
const JAVASCRIPT: &str = "text/javascript; charset=utf-8";

/// Returns the routes below /docs. `documents` are the names and paths of the documents that can be chosen.
pub fn routes(documents: &[(&str, &str)]) -> Router<EdgeState> {
    let initializer = initializer(documents);
    let serve_initializer = move || async move { ([(header::CONTENT_TYPE, JAVASCRIPT)], initializer) };
    Router::new()
        .route("/docs", get(|| async { Redirect::to("/docs/") }))
        .route("/docs/", get(|headers: HeaderMap| async move { serve("index.html", &headers).await }))
        .route("/docs/swagger-initializer.js", get(serve_initializer))
        .route("/docs/{file}", get(serve_file))
}

/// Returns the script that starts Swagger UI, in the place of its own, which shows an example.
fn initializer(documents: &[(&str, &str)]) -> String {
    let urls: Vec<_> =
        documents.iter().map(|(name, url)| serde_json::json!({ "name": name, "url": url })).collect();
    let settings = serde_json::json!({
        "urls": urls,
        "dom_id": "#swagger-ui",
        "deepLinking": true,
        "layout": "StandaloneLayout",
        "persistAuthorization": false,
        "tryItOutEnabled": true,
    });
    format!(
        "const settings = {settings};\n\
         settings.presets = [SwaggerUIBundle.presets.apis, SwaggerUIStandalonePreset];\n\
         window.addEventListener(\"load\", () => SwaggerUIBundle(settings));\n"
    )
}

async fn serve_file(PathText(name): PathText, headers: HeaderMap) -> web::Result {
    serve(&name, &headers).await
}

async fn serve(name: &str, headers: &HeaderMap) -> web::Result {
    let Some((name, media_type)) = FILES.into_iter().find(|(file, _)| *file == name) else {
        return Err(unknown_path_handler().await);
    };
    let file = find(name).ok_or_else(|| app::Error::internal(format!("{name} of Swagger UI is missing")))?;
    let gzip = if accepts_gzip(headers) { file.gzip() } else { None };
    respond(media_type, gzip, || file.read())
}

fn find(name: &str) -> Option<ArchivedFile<'static>> {
    ArchivedFile::find(SWAGGER_UI_VENDORED, &format!("/dist/{name}"))
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use flate2::read::GzDecoder;

    use super::*;

    #[test]
    fn every_file_is_there_in_both_codings() {
        for (name, _) in FILES {
            let file = find(name).unwrap();
            let content = file.read().unwrap();
            assert!(!content.is_empty(), "{name} is empty");
            if let Some(gzip) = file.gzip() {
                let mut unpacked = Vec::new();
                GzDecoder::new(gzip.as_slice()).read_to_end(&mut unpacked).unwrap();
                assert!(unpacked == content, "{name} differs");
            }
        }
        assert!(find("swagger-ui-bundle.js").unwrap().gzip().is_some());
        assert!(find("nothing.js").is_none());
    }

    #[test]
    fn the_page_names_no_other_files() {
        let page = String::from_utf8(find("index.html").unwrap().read().unwrap()).unwrap();
        for part in page.split("href=\"").skip(1).chain(page.split("src=\"").skip(1)) {
            let name = part.split('"').next().unwrap().trim_start_matches("./");
            let is_served = name == "swagger-initializer.js" || FILES.iter().any(|(file, _)| *file == name);
            assert!(is_served, "the page names {name}");
        }
    }

    #[test]
    fn a_damaged_archive_has_no_files() {
        for archive in
            [&[][..], b"PK\x05\x06", &SWAGGER_UI_VENDORED[..100_000], &SWAGGER_UI_VENDORED[1_000..]]
        {
            assert!(ArchivedFile::find(archive, "/dist/index.html").is_none());
        }
    }
}
