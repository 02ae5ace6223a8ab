//! Nodes that speak TLS. The real program asks them, because it trusts what the operating system trusts, and a test can tell only another
//! process to read that from elsewhere.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Output;
use std::time::Duration;

use app::Engine as AnalyticsEngine;
use serde_json::{Value, json};
use testbed::{Certificate, ClickHouseNode, temporary_folder};
use testkit::insights::{FactRows, SeededRandom};
use testkit::{Database, Engine, PASSWORD, Process, TestApp};
use warehouse::Config;

use super::{TOO_BUSY, config_of};
use crate::program;
use crate::v1::insights::Yard;

const TOTALS: &str = "/api/v1/insights/totals?from=2026-02-01&to=2026-02-28";

/// Returns the settings of a program that is answered by these nodes and trusts the authorities in a file.
fn settings(config: &Config, authorities: &Path) -> Vec<(&'static str, String)> {
    let mut nodes = String::new();
    for node in &config.nodes {
        let (shard, url, native) = (node.shard, &node.url, &node.native);
        write!(nodes, "{{ shard = {shard}, url = {url:?}, native = {native:?} }}, ").unwrap();
    }
    vec![
        ("SSL_CERT_FILE", authorities.display().to_string()),
        ("KEEPCLEAR__ANALYTICS__ENGINE", "warehouse".to_owned()),
        ("KEEPCLEAR__ANALYTICS__WAREHOUSE__NODES", format!("[{nodes}]")),
        ("KEEPCLEAR__ANALYTICS__WAREHOUSE__PASSWORD", config.password.0.clone()),
    ]
}

fn borrowed<'a>(settings: &'a [(&'static str, String)]) -> Vec<(&'static str, &'a str)> {
    settings.iter().map(|(name, value)| (*name, &**value)).collect()
}

/// Returns whether the program finds no fault, and what it says. It is asked again if a node was too busy to answer.
fn check(database: &Database, settings: &[(&'static str, String)]) -> (bool, String) {
    let mut said = String::new();
    for _ in 0..20 {
        let Output { status, stdout, stderr } =
            Process::run_with(program(), database, &borrowed(settings), &["check"], "");
        said = String::from_utf8_lossy(&[stdout, stderr].concat()).into_owned();
        if !said.contains(TOO_BUSY) {
            return (status.success(), said);
        }
    }
    panic!("nodes do not answer: {said}");
}

/// Asks the program for totals as this user, until its copy is complete.
async fn totals(server: &Process, email: &str) -> Value {
    let (http, base) = (testkit::http_client().build().unwrap(), format!("http://{}", server.address));
    let login = http.post(format!("{base}/api/v1/session")).header("Content-Type", "application/json");
    let login = login.body(json!({ "email": email, "password": PASSWORD }).to_string()).send().await.unwrap();
    let cookie = login.headers()["set-cookie"].to_str().unwrap().split(';').next().unwrap().to_owned();
    let mut answered = String::new();
    for _ in 0..60 {
        let request = http.get(format!("{base}{TOTALS}")).header("Cookie", &cookie);
        let answer = request.send().await.unwrap();
        let status = answer.status();
        answered = answer.text().await.unwrap();
        if status == 200 {
            return serde_json::from_str(&answered).unwrap();
        }
        assert_eq!(status, 503, "{answered}");
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
    panic!("the copy does not become complete: {answered}");
}

#[test]
fn two_shards_answer_over_tls() {
    testkit::run(Engine::Sqlite, |app: TestApp| async move {
        app.allow_leftover_jobs();
        let certificate = Certificate::generate().unwrap();
        let nodes = [(); 2].map(|()| ClickHouseNode::start_with_tls(&certificate).unwrap());
        let folder = temporary_folder();
        let authorities = folder.path().join("authorities.pem");
        std::fs::write(&authorities, certificate.authority()).unwrap();
        let settings = settings(&config_of(&[(1, &nodes[0]), (2, &nodes[1])]), &authorities);
        let (is_good, said) = check(app.database(), &settings);
        assert!(is_good && said.contains("warehouse       good (2 nodes)"), "{said}");

        let yard = Yard::new(app).await;
        yard.facts.add_rows(&FactRows::random(&SeededRandom::new(81), 300, 100)).await;
        let by_rows =
            yard.app.second_instance_with(|config| config.analytics.engine = AnalyticsEngine::Sql).await;
        let expected = by_rows.get(TOTALS).cookie(&yard.admin.cookie).send().await.expect(200).json();
        let server = Process::serve(program(), yard.app.database(), &borrowed(&settings));
        let found = totals(&server, &yard.admin.email).await;
        assert_eq!(found["metrics"], expected["metrics"]);
        assert!(found["metrics"]["incursions"]["value"].as_i64() > Some(50), "{found}");
    });
}

#[tokio::test]
async fn certificates_of_other_authorities_are_refused() {
    let database = Database::migrated(Engine::Sqlite).await;
    let certificates = [(); 2].map(|()| Certificate::generate().unwrap());
    let nodes =
        certificates.each_ref().map(|certificate| ClickHouseNode::start_with_tls(certificate).unwrap());
    let config = config_of(&[(1, &nodes[0]), (2, &nodes[1])]);
    let folder = temporary_folder();
    let authorities = folder.path().join("authorities.pem");
    // The program trusts one of them.
    std::fs::write(&authorities, certificates[0].authority()).unwrap();
    let (is_good, said) = check(&database, &settings(&config, &authorities));
    let refused = format!("the ClickHouse node {} failed: ", nodes[1].url());
    assert!(!is_good && said.contains(&refused) && said.contains("UnknownIssuer"), "{said}");
    assert!(!said.contains(&nodes[0].url()), "{said}");
    // It trusts both, and each node trusts itself only.
    let both = certificates.each_ref().map(Certificate::authority).concat();
    std::fs::write(&authorities, both).unwrap();
    let (is_good, said) = check(&database, &settings(&config, &authorities));
    assert!(!is_good && !said.contains("UnknownIssuer"), "{said}");
    for (node, other) in [(&nodes[0], &nodes[1]), (&nodes[1], &nodes[0])] {
        let refused = format!("its native address {} cannot be used from {}", node.native(), other.url());
        assert!(said.contains(&refused) && said.contains("certificate verify failed"), "{said}");
    }
    // It does not know that they speak TLS.
    let mut plain = config;
    for node in &mut plain.nodes {
        node.url = node.url.replace("https://", "http://");
    }
    let (is_good, said) = check(&database, &settings(&plain, &authorities));
    assert!(!is_good && said.contains("its url must begin with https://"), "{said}");
}
