//! The number of SQL statements of a document does not depend on the number of rows.

use testkit::{TestApp, on_both_engines};

use super::Client;

on_both_engines!(documents_take_no_statement_per_row, what_would_bring_too_much_along_is_refused);

async fn documents_take_no_statement_per_row(app: TestApp) {
    let client = Client::new(app).await;
    let mut counts: Vec<Vec<u64>> = Vec::new();
    for round in 0..3 {
        for n in 0..=round * 6 {
            let project = client.project(&format!("P{round}-{n}")).await;
            let site = client.worksite(&format!("S{round}-{n}"), Some(&project)).await;
            client.machine(&format!("M{round}-{n}"), Some(&site)).await;
        }
        let mut of_round = Vec::new();
        for path in [
            "/api/v2/projects",
            "/api/v2/projects?include=worksites,worksites.machines",
            "/api/v2/worksites?include=project,machines",
            "/api/v2/worksites/1/machines",
        ] {
            client.get(path).await.expect(200);
            let store = &client.app.edge().app.store;
            let before = store.statement_count();
            client.get(path).await.expect(200);
            of_round.push(store.statement_count() - before);
        }
        counts.push(of_round);
    }
    assert_eq!(counts[0], [1, 3, 3, 2]);
    assert!(counts.iter().all(|of_round| *of_round == counts[0]), "{counts:?}");
}

async fn what_would_bring_too_much_along_is_refused(app: TestApp) {
    let client = Client::new(app).await;
    let project = client.project("North").await;
    let rows: Vec<String> = (0..1_001)
        .map(|n| format!("(1, 'S{n:04}', 's{n:04}', '#ff8800', 'other', 'UTC', {project}, 1, 1, 1)"))
        .collect();
    let insert =
        "insert into worksites (brand_id, name, name_key, colour, kind, time_zone, project_id, version,
                  created_at, updated_at) values";
    testkit::execute_raw_sql(client.app.database(), &format!("{insert} {}", rows.join(","))).await.unwrap();
    let reply = client.get("/api/v2/projects?include=worksites").await.expect(400);
    assert_eq!(super::refusal(&reply).2, serde_json::json!({ "parameter": "include" }));
    let all = client.get("/api/v2/worksites?include=project&page[size]=500").await.expect(200).json();
    assert_eq!((all["data"].as_array().unwrap().len(), all["included"].as_array().unwrap().len()), (500, 1));
}
