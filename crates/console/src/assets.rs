//! Stylesheet and modules, embedded in the program. Their addresses contain a hash of their content, so that browsers keep them for good.

use std::sync::LazyLock;

use axum::Router;
use axum::body::Body;
use axum::response::Response;
use axum::routing::get;
use domain::encode_hex;
use http::{HeaderValue, header};
use sha2::{Digest, Sha256};
use web::{EdgeState, PathText};

use crate::map_libraries;

/// An asset with its address.
struct Asset {
    name: &'static str,
    address: String,
    content: &'static [u8],
}

macro_rules! embedded {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_bytes!(concat!("../assets/", $name)) as &[u8])),*]
    };
}

// Modules do not import each other by name, because their addresses are known only here: a page tells `map.js` where `draw.js` is.
const FILES: &[(&str, &[u8])] = embedded![
    "chart.js",
    "console.css",
    "copy.js",
    "draw.js",
    "icon.svg",
    "keys.js",
    "live.js",
    "map.js",
    "pivot.js",
    "resume.js",
    "review.js",
    "send.js",
    "session.js",
    "stay.js",
    "suggest.js",
];

static ASSETS: LazyLock<Vec<Asset>> = LazyLock::new(|| {
    let assets = FILES.iter().chain(map_libraries::FILES).map(|&(name, content)| Asset {
        name,
        address: address(name, content),
        content,
    });
    assets.collect()
});

/// Returns `/assets/{stem}.{hash}.{extension}`.
fn address(name: &str, content: &[u8]) -> String {
    let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
    let hash = encode_hex(&Sha256::digest(content));
    format!("/assets/{stem}.{}.{extension}", hash.get(..12).unwrap_or_default())
}

/// Returns the address of an asset; empty for names that there are not, which no page has.
pub fn address_of(name: &str) -> &'static str {
    ASSETS.iter().find(|asset| asset.name == name).map_or("", |asset| asset.address.as_str())
}

/// Returns the route of assets. They are the same for everyone, so that it needs neither a session nor a quota.
pub fn routes() -> Router<EdgeState> {
    Router::new().route("/assets/{file}", get(get_asset))
}

async fn get_asset(PathText(file): PathText) -> web::Result {
    let found = ASSETS.iter().find(|asset| asset.address.strip_prefix("/assets/") == Some(file.as_str()));
    let Some(asset) = found else { return Err(web::unknown_path_handler().await) };
    let media_type = match asset.name.rsplit('.').next() {
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        _ => "text/javascript; charset=utf-8",
    };
    let mut response = Response::new(Body::from(asset.content));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
    let immutable = HeaderValue::from_static("public, max-age=31536000, immutable");
    headers.insert(header::CACHE_CONTROL, immutable);
    Ok(response)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_follows_the_content() {
        assert_eq!(address("a.js", b""), "/assets/a.e3b0c44298fc.js");
        assert_eq!(address("b.min.css", b""), "/assets/b.min.e3b0c44298fc.css");
        assert_ne!(address("a.js", b"1"), address("a.js", b"2"));
    }

    /// Every name that a template asks for exists.
    #[test]
    fn templates_name_assets_that_there_are() {
        let mut folders = vec![std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
        let mut found = 0;
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                    continue;
                }
                let Ok(text) = std::fs::read_to_string(&path) else { continue };
                if path.extension().is_none_or(|extension| extension != "html") {
                    continue;
                }
                for part in text.split("frame.asset(\"").skip(1) {
                    let name = part.split('"').next().unwrap();
                    let is_map_library = name.starts_with("leaflet.") || name.starts_with("terra-draw");
                    assert!(is_map_library || !address_of(name).is_empty(), "{}: {name}", path.display());
                    found += 1;
                }
            }
        }
        assert!(found > 1);
    }
}
