//! Reports in backups: rows, figures and files.

use testkit::on_both_engines;

use super::*;

on_both_engines!(reports_come_back_with_their_figures_and_files);

/// Requests a report, waits for it and returns its id.
fn create_report(server: &Process, cookie: &str) -> i64 {
    let body = json!({ "kind": "incursions", "format": "csv" });
    let id = post(server, cookie, "/api/v1/reports", &body).json()["id"].as_i64().unwrap();
    loop {
        let shown = get(server, cookie, &format!("/api/v1/reports/{id}"));
        let shown: Value = serde_json::from_slice(&shown).unwrap();
        match shown["state"].as_str().unwrap() {
            "ready" => return id,
            "queued" | "running" => std::thread::sleep(Duration::from_millis(50)),
            other => panic!("it is {other}: {shown}"),
        }
    }
}

async fn reports_come_back_with_their_figures_and_files(engine: Engine) {
    let installation = stopped_installation(engine);
    let server = installation.serve();
    let cookie = sign_in(&server);
    for id in 1..=3 {
        assert_eq!(create_report(&server, &cookie), id);
    }
    let download =
        |server: &Process, id: i64| get(server, &cookie, &format!("/api/v1/reports/{id}/download"));
    let (first, third) = (download(&server, 1), download(&server, 3));
    let (status, log) = server.stop("-TERM");
    assert!(status.success(), "{log}");
    let checked = expect_success(&run(&installation.database, &["check", "--deep"], ""));
    assert!(checked.contains("6 objects are there, byte by byte"), "{checked}");

    // The file of the first is lost, and the figures of the second.
    let lost = async |id: i64, query: &str| {
        let upload = query_raw_sql(&installation.database, query).await.remove(0);
        let folder = installation.database.folder().join(format!("blobs/reports/1/{id}"));
        fs::remove_file(folder.join(upload)).unwrap();
    };
    lost(1, "select upload from report_files where report_id = 1").await;
    lost(2, "select figures_upload from reports where id = 2").await;
    let said = expect_failure(&run(&installation.database, &["check"], ""));
    for object in ["report 1: the object reports/1/1/", "report 2: the object reports/1/2/"] {
        assert!(said.contains(object), "{said}");
    }
    let backup = installation.backup("backup");
    assert_eq!(manifest(&backup)["gone"].as_array().unwrap().len(), 2);
    let restored = Database::empty(engine);
    expect_success(&run(&restored, &["restore", backup.to_str().unwrap()], ""));
    let states = query_raw_sql(&restored, "select state from reports order by id").await;
    assert_eq!(states, ["ready", "expired", "ready"]);
    let checked = expect_success(&run(&restored, &["check", "--deep"], ""));
    assert!(checked.contains("3 objects are there, byte by byte"), "{checked}");
    // The lost file is made again from the figures.
    let other = Process::serve(program(), &restored, &[]);
    assert_eq!((download(&other, 1), download(&other, 3)), (first, third));
}
