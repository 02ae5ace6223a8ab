//! Request bodies: media types, content codings and sizes.

use std::io::Write;

use domain::DeviceKind;
use serde_json::{Value, json};
use testkit::{Engine, Reply, TestApp, on_both_engines};

use super::{PATH, incursion, with};

on_both_engines!(
    arrays_and_lines_come_in_plain_and_compressed,
    a_line_that_is_cut_off_does_not_sink_the_others,
    what_cannot_be_read_at_all_is_refused_as_a_whole,
    a_batch_has_at_most_5000_events,
    a_greedy_token_holds_up_nobody,
    a_greedy_brand_of_many_tokens_holds_up_nobody,
);

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

async fn post(
    app: &TestApp,
    token: &str,
    media_type: &str,
    encoding: &str,
    body: impl Into<Vec<u8>>,
) -> Reply {
    let request = app.post(PATH).bearer(token).header("content-encoding", encoding);
    request.bytes(media_type, body).send().await
}

async fn arrays_and_lines_come_in_plain_and_compressed(app: TestApp) {
    let token = app.issue_token("Acme", DeviceKind::Station, "ST-1").await;
    for (round, media_type) in ["application/json", "application/x-ndjson"].into_iter().enumerate() {
        for encoding in ["identity", "gzip", "zstd"] {
            let events: Vec<Value> = (0..3).map(|n| incursion(&format!("{round} {encoding} {n}"))).collect();
            let body = match media_type {
                "application/json" => json!(events).to_string(),
                _ => events.iter().map(|event| format!("{event}\r\n\n")).collect(),
            };
            let body = match encoding {
                "gzip" => gzip(body.as_bytes()),
                "zstd" => zstd::encode_all(body.as_bytes(), 3).unwrap(),
                _ => body.into_bytes(),
            };
            let answer = post(&app, &token, media_type, encoding, body).await.expect(200).json();
            assert_eq!(answer["accepted"], 3, "{media_type} {encoding}: {answer}");
        }
    }
}

async fn a_line_that_is_cut_off_does_not_sink_the_others(app: TestApp) {
    let token = app.issue_token("Acme", DeviceKind::Station, "ST-1").await;
    let text =
        format!("{}\n\n[1]\n{}\n{}", incursion("1"), incursion("2"), &incursion("3").to_string()[..40]);
    let answer = post(&app, &token, "application/x-ndjson", "identity", text).await.expect(200).json();
    assert_eq!(answer["accepted"], 2);
    let rejected: Vec<_> =
        answer["rejected"].as_array().unwrap().iter().map(|one| (&one["index"], &one["code"])).collect();
    assert_eq!(rejected, [(&json!(1), &json!("wrong_type")), (&json!(3), &json!("broken_json"))]);
}

async fn what_cannot_be_read_at_all_is_refused_as_a_whole(app: TestApp) {
    let token = app.issue_token("Acme", DeviceKind::Station, "ST-1").await;
    let good = json!([incursion("1")]).to_string();
    let bomb = gzip(&vec![b' '; 65 * 1024 * 1024]);
    let cases: [(&str, &str, Vec<u8>, u16, &str); 9] = [
        ("application/json", "identity", good.as_bytes()[..good.len() - 1].to_vec(), 400, "broken_json"),
        ("application/json", "identity", b"[1,]".to_vec(), 400, "broken_json"),
        ("application/json", "identity", b"{}".to_vec(), 422, "wrong_type"),
        ("application/json", "identity", b"[] []".to_vec(), 400, "broken_json"),
        ("application/json", "gzip", good.clone().into_bytes(), 400, "broken_encoding"),
        ("application/json", "gzip", gzip(good.as_bytes())[..30].to_vec(), 400, "broken_encoding"),
        ("application/json", "gzip", bomb, 413, "body_too_large"),
        ("application/json", "br", good.clone().into_bytes(), 415, "unsupported_encoding"),
        ("text/plain", "identity", good.into_bytes(), 415, "unsupported_media_type"),
    ];
    for (media_type, encoding, body, status, code) in cases {
        let reply = post(&app, &token, media_type, encoding, body).await.expect(status);
        assert_eq!(reply.code(), code);
    }
    let large = vec![b' '; 8 * 1024 * 1024 + 1];
    assert_eq!(
        post(&app, &token, "application/json", "identity", large).await.expect(413).code(),
        "body_too_large"
    );
    assert_eq!(testkit::count_rows(app.database()).await["incursions"], 0);
}

async fn a_batch_has_at_most_5000_events(app: TestApp) {
    let token = app.issue_token("Acme", DeviceKind::Station, "ST-1").await;
    let mut events: Vec<Value> =
        (0..5_001).map(|n| with(incursion("x"), json!({ "uid": n.to_string() }))).collect();
    let reply = super::send(&app, &token, json!(events)).await.expect(413);
    assert_eq!(reply.code(), "too_many_events");
    let lines: String = events.iter().map(|event| format!("{event}\n")).collect();
    let reply = post(&app, &token, "application/x-ndjson", "identity", lines).await.expect(413);
    assert_eq!(reply.code(), "too_many_events");
    events.pop();
    let answer = super::send(&app, &token, json!(events)).await.expect(200).json();
    assert_eq!((&answer["accepted"], &answer["seq"]), (&json!(5_000), &json!(5_000)));
}

/// Number of bodies that a greedy sender has decompressed concurrently.
const ZIP_BOMBS: usize = 8;

/// Sends one zip bomb with each of these tokens; each is read until it has expanded.
async fn send_zip_bombs(app: &TestApp, tokens: &[String]) -> tokio::task::JoinSet<Reply> {
    let bomb = gzip(&vec![b' '; 16 * 1024 * 1024]);
    let mut bombs = tokio::task::JoinSet::new();
    for token in tokens {
        let request = app.post(PATH).bearer(token).header("content-encoding", "gzip");
        bombs.spawn(request.bytes("application/json", bomb.clone()).send());
    }
    // They must be waiting for a permit before anyone else does.
    for _ in 0..500 {
        tokio::task::yield_now().await;
    }
    bombs
}

/// Asserts that a modest batch is answered while most zip bombs still wait; behind them in one queue, at most one would be left.
async fn assert_answered_before(app: &TestApp, token: &str, mut bombs: tokio::task::JoinSet<Reply>) {
    let body = gzip(json!([incursion("1")]).to_string().as_bytes());
    post(app, token, "application/json", "gzip", body).await.expect(200);
    let mut replies = Vec::new();
    while let Some(reply) = bombs.try_join_next() {
        replies.push(reply.unwrap());
    }
    assert!(bombs.len() >= 2, "{} of {ZIP_BOMBS} were read first", replies.len());
    replies.extend(bombs.join_all().await);
    for reply in replies {
        assert!(["broken_json", "reading_busy"].contains(&reply.code().as_str()), "{}", reply.code());
    }
}

async fn a_greedy_token_holds_up_nobody(engine: Engine) {
    let app = TestApp::start_with(engine, |config| {
        config.limits.max_ingest_parsers = 2;
        config.limits.max_ingest_parsers_per_brand = 2;
        config.limits.max_ingest_parsers_per_token = 1;
    })
    .await;
    let greedy = app.issue_token("Acme", DeviceKind::Gateway, "Yard").await;
    let modest = app.issue_token("Acme", DeviceKind::Station, "ST-1").await;
    let greedy: Vec<String> = std::iter::repeat_n(greedy, ZIP_BOMBS).collect();
    let bombs = send_zip_bombs(&app, &greedy).await;
    assert_answered_before(&app, &modest, bombs).await;
}

async fn a_greedy_brand_of_many_tokens_holds_up_nobody(engine: Engine) {
    let app = TestApp::start_with(engine, |config| {
        config.limits.max_ingest_parsers = 2;
        config.limits.max_ingest_parsers_per_brand = 1;
        config.limits.max_ingest_parsers_per_token = 1;
    })
    .await;
    let mut greedy = Vec::new();
    for n in 0..ZIP_BOMBS {
        greedy.push(app.issue_token("Greedy", DeviceKind::Gateway, &format!("Yard {n}")).await);
    }
    let modest = app.issue_token("Modest", DeviceKind::Station, "ST-1").await;
    let bombs = send_zip_bombs(&app, &greedy).await;
    assert_answered_before(&app, &modest, bombs).await;
}
