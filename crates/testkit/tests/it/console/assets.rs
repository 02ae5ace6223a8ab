//! /assets

use testkit::{TestApp, on_both_engines};

use crate::console::open;

on_both_engines!(assets_are_kept_for_good_under_the_hash_of_their_content);

async fn assets_are_kept_for_good_under_the_hash_of_their_content(app: TestApp) {
    let html = open(&app, "", "/sign-in").await.expect(200).reply.text();
    let (_, rest) = html.split_once("href=\"/assets/console.").unwrap();
    let hash = rest.split('.').next().unwrap();
    assert!(hash.len() == 12 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()), "{hash}");
    let sheet = app.get(&format!("/assets/console.{hash}.css")).send().await.expect(200);
    assert_eq!(sheet.header("content-type"), "text/css; charset=utf-8");
    assert_eq!(sheet.header("cache-control"), "public, max-age=31536000, immutable");
    assert_eq!((sheet.header("x-content-type-options"), sheet.header("set-cookie")), ("nosniff", ""));
    // They count against nobody's quota.
    assert_eq!(sheet.header("ratelimit"), "");
    for path in ["/assets/console.000000000000.css", "/assets/console.css", "/assets/", "/assets/..%2Fa"] {
        app.get(path).send().await.expect(404);
        // Who opens the address in a browser gets a page; what a page loads as a stylesheet does not.
        let gone = open(&app, "", path).await.expect(404);
        assert!(gone.says("There is nothing here"), "{path}: {}", gone.text());
        let loaded = app.get(path).header("accept", "text/css,*/*;q=0.1").send().await.expect(404);
        assert_eq!(loaded.header("content-type"), "application/problem+json", "{path}");
    }
}
