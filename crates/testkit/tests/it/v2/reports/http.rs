//! Lists, files and changes of /api/v2/reports.

use domain::{Role, Span};
use http::Method;
use serde_json::{Value, json};
use testkit::{Account, TestApp, on_both_engines};

use super::{JSON_API, PATH, create_site_safety, february, get, post, to};
use crate::v1::insights::Yard;
use crate::v1::reports::busy_yard;

on_both_engines!(
    lists_are_filtered_sorted_and_paged,
    files_are_the_same_as_in_the_other_version,
    a_remake_and_a_deletion_answer_with_the_document,
    a_repeat_gets_the_same_document,
    what_others_have_is_not_found,
    a_viewer_gets_a_report_without_names,
);

async fn ids(yard: &Yard, user: &Account, query: &str) -> Vec<String> {
    let list = get(yard, user, query).await.expect(200).json();
    list["data"].as_array().unwrap().iter().map(|row| row["id"].as_str().unwrap().to_owned()).collect()
}

async fn lists_are_filtered_sorted_and_paged(app: TestApp) {
    let yard = busy_yard(app).await;
    let other = yard.app.sign_in_new_user("bob@example.com", Role::Admin).await;
    for user in [&yard.admin, &other] {
        create_site_safety(&yard, user).await;
        yard.app.clock.advance(Span::seconds(1));
    }
    let attributes = json!({ "kind": "machine", "format": "json", "filters": february() });
    let machine = json!({ "machine": to("machines", "2") });
    post(&yard, &yard.admin, &attributes, &machine).await.expect(201);
    for (query, expected) in [
        ("", vec!["3", "2", "1"]),
        ("?sort=created_at", vec!["1", "2", "3"]),
        ("?sort=-updated_at", vec!["3", "2", "1"]),
        ("?filter[id]=1,3,9", vec!["3", "1"]),
        ("?filter[kind]=machine", vec!["3"]),
        ("?filter[kind]=machine,site_safety&filter[state]=ready", vec!["2", "1"]),
        ("?filter[state]=queued,failed", vec!["3"]),
        ("?filter[worksite]=1", vec!["2", "1"]),
        ("?filter[machine]=2", vec!["3"]),
        ("?filter[project]=1", vec![]),
        ("?filter[person]=1", vec![]),
        ("?filter[schedule]=1", vec![]),
        ("?filter[mine]=true", vec!["3", "1"]),
        ("?filter[mine]=true&page[size]=1", vec!["3"]),
    ] {
        assert_eq!(ids(&yard, &yard.admin, query).await, expected, "{query}");
    }
    let first = get(&yard, &yard.admin, "?page[size]=2&page[total]=true").await.expect(200).json();
    assert_eq!(first["meta"]["total"], 3);
    let next = first["links"]["next"].as_str().unwrap().to_owned();
    let second = yard.app.get(&next).bearer(&yard.admin.jwt).send().await.expect(200).json();
    assert_eq!((&second["data"][0]["id"], &second["links"]["next"]), (&json!("1"), &Value::Null));
    let back = second["links"]["prev"].as_str().unwrap().to_owned();
    let back = yard.app.get(&back).bearer(&yard.admin.jwt).send().await.expect(200).json();
    assert_eq!(back["data"], first["data"]);
    for (query, code) in [
        ("?filter[kind]=people", "invalid_kind"),
        ("?filter[state]=done", "invalid_state"),
        ("?filter[worksite]=x", "invalid_id"),
        ("?filter[author]=1", "unknown_parameter"),
        ("?sort=name", "invalid_sort"),
        ("?page[after]=x", "invalid_cursor"),
        ("?filter[after_version]=1", "unknown_parameter"),
    ] {
        assert_eq!(get(&yard, &yard.admin, query).await.expect(400).code(), code, "{query}");
    }
    yard.app.run_jobs().await;
}

async fn files_are_the_same_as_in_the_other_version(app: TestApp) {
    let yard = busy_yard(app).await;
    let id = create_site_safety(&yard, &yard.admin).await;
    let path = format!("{PATH}/{id}/download");
    let call = |method: Method, query: &str| {
        yard.app.request(method, &format!("{path}{query}")).bearer(&yard.admin.jwt)
    };
    let whole = call(Method::GET, "").send().await.expect(200);
    assert_eq!(whole.header("content-type"), "application/json");
    let number = json!(id.parse::<i64>().unwrap());
    let first = crate::v1::reports::download(&yard, &yard.admin, &number, "").await.expect(200);
    assert_eq!((&whole.body, whole.header("etag")), (&first.body, first.header("etag")));
    let part = call(Method::GET, "").header("range", "bytes=0-0").send().await.expect(206);
    assert_eq!((part.body, whole.body[..1].to_vec()), (b"{".to_vec(), b"{".to_vec()));
    let known = whole.header("etag").to_owned();
    call(Method::GET, "").header("if-none-match", &known).send().await.expect(304);
    let head = call(Method::HEAD, "?format=pdf").send().await.expect(200);
    let pdf = call(Method::GET, "?format=pdf").send().await.expect(200);
    assert!(pdf.body.starts_with(b"%PDF-"));
    assert_eq!(head.header("content-length"), pdf.body.len().to_string());
    let refused = call(Method::GET, "?format=csv").send().await.expect(422);
    let error = &refused.json()["errors"][0];
    assert_eq!((&error["code"], &error["source"]["parameter"]), (&json!("unknown_format"), &json!("format")));
    assert_eq!(call(Method::GET, "?format=doc").send().await.expect(400).code(), "invalid_format");
}

async fn a_remake_and_a_deletion_answer_with_the_document(app: TestApp) {
    let yard = busy_yard(app).await;
    let id = create_site_safety(&yard, &yard.admin).await;
    let remake = yard.app.post(&format!("{PATH}/{id}/remake")).bearer(&yard.admin.jwt);
    let remade = remake.send().await.expect(200);
    assert_eq!(remade.header("content-type"), JSON_API);
    let data = &remade.json()["data"];
    assert_eq!((&data["id"], &data["attributes"]["state"]), (&json!(id), &json!("queued")));
    let read = get(&yard, &yard.admin, &format!("/{id}")).await.expect(200);
    assert_eq!(read.header("etag"), remade.header("etag"));
    let delete = async || yard.app.delete(&format!("{PATH}/{id}")).bearer(&yard.admin.jwt).send().await;
    let deleted = delete().await.expect(200);
    let attributes = deleted.json()["data"]["attributes"].clone();
    // It was ready before, so that there is more to delete than a run.
    assert_eq!((&attributes["state"], &attributes["reason"]), (&json!("expired"), &json!("deleted")));
    assert_eq!(delete().await.expect(200).json(), deleted.json());
    let remake = yard.app.post(&format!("{PATH}/{id}/remake")).bearer(&yard.admin.jwt);
    assert_eq!(remake.send().await.expect(409).code(), "no_figures");
    yard.app.patch(&format!("{PATH}/{id}")).bearer(&yard.admin.jwt).send().await.expect(405);
    yard.app.run_jobs().await;
}

async fn a_repeat_gets_the_same_document(app: TestApp) {
    let yard = busy_yard(app).await;
    let body = json!({ "data": {
        "type": "reports", "attributes": { "kind": "incursions", "format": "csv", "filters": february() },
    } });
    let send = async || {
        let call = yard.app.post(PATH).bearer(&yard.admin.jwt).header("idempotency-key", "one");
        call.bytes(JSON_API, body.to_string()).send().await.expect(201)
    };
    let (first, again) = (send().await, send().await);
    assert_eq!((first.json(), first.header("location")), (again.json(), again.header("location")));
    assert_eq!(first.header("etag"), again.header("etag"));
    assert_eq!(yard.app.run_jobs().await, 1);
}

async fn what_others_have_is_not_found(app: TestApp) {
    let yard = busy_yard(app).await;
    let id = create_site_safety(&yard, &yard.admin).await;
    let stranger = yard.app.sign_in_new_user_in_brand("Other", "olga@example.com", Role::Admin).await;
    let restricted = yard.restricted("eve@example.com", Role::Member, &[2]).await;
    for user in [&stranger, &restricted] {
        for (method, rest) in [
            (Method::GET, format!("/{id}")),
            (Method::GET, format!("/{id}/download")),
            (Method::POST, format!("/{id}/remake")),
            (Method::DELETE, format!("/{id}")),
        ] {
            let call = yard.app.request(method.clone(), &format!("{PATH}{rest}")).bearer(&user.jwt);
            assert_eq!(call.send().await.expect(404).code(), "not_found", "{method} {rest}");
        }
        assert!(ids(&yard, user, "").await.is_empty());
    }
}

async fn a_viewer_gets_a_report_without_names(app: TestApp) {
    let yard = busy_yard(app).await;
    let named = create_site_safety(&yard, &yard.admin).await;
    let viewer = yard.app.sign_in_new_user("viewer@example.com", Role::Viewer).await;
    get(&yard, &viewer, &format!("/{named}")).await.expect(404);
    let own = create_site_safety(&yard, &viewer).await;
    let shown = get(&yard, &viewer, &format!("/{own}")).await.expect(200).json();
    assert_eq!(shown["data"]["attributes"]["names_people"], false);
    let file = yard.app.get(&format!("{PATH}/{own}/download")).bearer(&viewer.jwt).send().await.expect(200);
    assert!(!file.text().contains("Ada"), "{}", file.text());
    // Who may see names sees both.
    assert_eq!(ids(&yard, &yard.admin, "").await, [own, named]);
    assert_eq!(ids(&yard, &viewer, "").await.len(), 1);
}
