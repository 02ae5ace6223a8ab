//! /api/v2/incursions

use domain::Role;
use serde_json::{Value, json};
use testkit::{Account, Reply, TestApp, on_both_engines};

use super::{JSON_API, ids};
use crate::ingest::events::{BerlinYard, incursion, with};

on_both_engines!(
    an_incursion_is_a_resource_with_what_it_is_about,
    filters_are_called_after_relationships,
    incursions_are_found_by_id,
    incursions_are_sorted_by_several_keys,
    a_wide_period_of_many_is_not_sorted_by_spans,
    links_stay_in_their_period_after_midnight,
    what_leaves_the_callers_projects_is_gone_from_the_feed,
    the_feed_takes_no_other_filter_and_is_paged,
    a_review_is_an_attribute_that_can_be_changed,
    a_review_that_is_wrong_is_refused,
    who_was_in_it_may_have_been_corrected_since_it_was_read,
    viewers_get_no_names,
    a_comment_comes_back_as_it_was_written,
    a_page_takes_few_statements,
    included_records_are_as_they_are_now,
    included_records_are_those_that_the_caller_sees,
);

async fn get(yard: &BerlinYard, user: &Account, rest: &str) -> Reply {
    yard.app.get(&format!("/api/v2/incursions{rest}")).bearer(&user.jwt).send().await
}

async fn patch(yard: &BerlinYard, user: &Account, data: &Value, if_match: &str) -> Reply {
    let call = yard.app.patch("/api/v2/incursions/1").bearer(&user.jwt).header("if-match", if_match);
    call.bytes(JSON_API, json!({ "data": data }).to_string()).send().await
}

fn reviewed(review: &Value) -> Value {
    json!({ "type": "incursions", "id": "1", "attributes": { "review": review } })
}

async fn an_incursion_is_a_resource_with_what_it_is_about(app: TestApp) {
    let yard = BerlinYard::set_up(app).await;
    let event = json!({ "ended_at": "2026-03-01T08:00:10Z", "operator_tag": "TAG-2" });
    yard.send_accepted(json!([with(incursion("1"), event)])).await;
    let query = "?include=machine,worksite,pedestrian,operator&fields[machines]=name&fields[worksites]=name&fields[people]=name";
    let document = get(&yard, &yard.admin, query).await.expect(200).json();
    let row = &document["data"][0];
    assert_eq!((&row["type"], &row["id"]), (&json!("incursions"), &json!("1")));
    assert_eq!(row["attributes"]["duration_ms"], 10_000);
    for time in ["created_at", "updated_at"] {
        assert_eq!(row["attributes"][time], row["attributes"]["received_at"], "{time}");
    }
    assert_eq!(row["relationships"]["machine"], json!({ "data": { "type": "machines", "id": "1" } }));
    assert_eq!(row["relationships"]["project"]["data"], json!({ "type": "projects", "id": "1" }));
    let included = document["included"].as_array().unwrap().iter();
    let included: Vec<_> = included.map(|one| (&one["type"], &one["attributes"]["name"])).collect();
    let expected = [("machines", "Digger"), ("people", "Ada"), ("people", "Ben"), ("worksites", "Yard")]
        .map(|(kind, name)| (json!(kind), json!(name)));
    assert_eq!(included, expected.each_ref().map(|(kind, name)| (kind, name)));
    let one = get(&yard, &yard.admin, "/1").await.expect(200);
    assert_eq!(one.header("etag"), format!("\"{}\"", row["attributes"]["seq"]));
    assert_eq!(one.json()["data"], *row);
    get(&yard, &yard.admin, "/2").await.expect(404);
}

async fn filters_are_called_after_relationships(app: TestApp) {
    let yard = BerlinYard::set_up(app).await;
    let later = json!({ "started_at": "2026-03-01T09:00:00Z", "ended_at": "2026-03-01T09:00:09Z", "tag": "TAG-2", "zone": "danger" });
    yard.send_accepted(json!([incursion("1"), with(incursion("2"), later)])).await;
    for (query, expected) in [
        ("", &["2", "1"][..]),
        ("filter[zone]=danger", &["2"]),
        ("filter[zone]=danger,warning", &["2", "1"]),
        ("filter[tag]=1", &["1"]),
        ("filter[tag]=1,2&sort=started_at", &["1", "2"]),
        ("filter[pedestrian]=1", &["1"]),
        ("filter[worksite]=1&filter[machine]=1", &["2", "1"]),
        ("filter[machine]=7", &[]),
        ("filter[min_duration_s]=5", &["2"]),
        ("filter[to]=2026-03-01T08:30:00Z", &["1"]),
    ] {
        let document = get(&yard, &yard.admin, &format!("?{query}")).await.expect(200).json();
        assert_eq!(ids(&document["data"]), expected, "{query}");
    }
    for (query, name) in [
        ("filter[zone]=x", "filter[zone]"),
        ("filter[zone]=danger&filter[zone]=warning", "filter[zone]"),
        ("filter[machine]=x", "filter[machine]"),
        ("filter[from]=never", "filter[from]"),
        ("filter[machine_id]=1", "filter[machine_id]"),
        ("machine_id=1", "machine_id"),
        ("sort=zone", "sort"),
    ] {
        let refused = get(&yard, &yard.admin, &format!("?{query}")).await.expect(400);
        assert_eq!(refused.json()["errors"][0]["source"], json!({ "parameter": name }), "{query}");
    }
    let page = get(&yard, &yard.admin, "?page[size]=1&page[total]=true").await.expect(200).json();
    assert_eq!((ids(&page["data"]), &page["meta"]["total"]), (vec!["2".to_owned()], &json!(2)));
    let next = page["links"]["next"].as_str().unwrap();
    let next = yard.app.get(next).bearer(&yard.admin.jwt).send().await.expect(200).json();
    assert_eq!((ids(&next["data"]), &next["links"]["next"]), (vec!["1".to_owned()], &Value::Null));
}

async fn incursions_are_found_by_id(app: TestApp) {
    let yard = BerlinYard::set_up(app).await;
    let old = json!({ "started_at": "2025-12-24T09:00:00Z", "ended_at": "2025-12-24T09:00:09Z" });
    yard.send_accepted(json!([incursion("1"), with(incursion("2"), old), incursion("3")])).await;
    patch(&yard, &yard.admin, &reviewed(&json!({ "state": "dismissed" })), "*").await.expect(200);
    for (query, expected) in [
        // Whenever they were, and whatever their review is.
        ("filter[id]=1,2", &["1", "2"][..]),
        ("filter[id]=2,1,2,77", &["1", "2"]),
        ("filter[id]=77", &[]),
        ("filter[id]=1,2,3&sort=duration_ms,-started_at", &["3", "1", "2"]),
        ("filter[id]=1,2&filter[from]=2026-01-01", &["1"]),
        ("filter[id]=1,3&filter[review]=unreviewed", &["3"]),
        ("filter[id]=1,3&filter[tag]=2", &[]),
    ] {
        let path = format!("?{query}&page[total]=true");
        let document = get(&yard, &yard.admin, &path).await.expect(200).json();
        assert_eq!(ids(&document["data"]), expected, "{query}");
        assert_eq!(document["meta"]["total"], expected.len(), "{query}");
    }
    yard.post("projects", json!({ "name": "South" })).await;
    let elsewhere = yard.restricted("south@example.com", Role::Viewer, &[2]).await;
    let hidden = get(&yard, &elsewhere, "?filter[id]=1,2,3").await.expect(200).json();
    assert_eq!(hidden["data"], json!([]));
    let many = (1..=101).map(|id| id.to_string()).collect::<Vec<_>>().join(",");
    let too_many = format!("filter[id]={many}");
    for (query, name, code) in [
        ("filter[id]=", "filter[id]", "invalid_id"),
        ("filter[id]=1,x", "filter[id]", "invalid_id"),
        ("filter[id]=1&filter[id]=2", "filter[id]", "repeated_parameter"),
        ("filter[id]=1&filter[after_seq]=0", "filter[id]", "not_with_after_seq"),
        (too_many.as_str(), "filter[id]", "too_many"),
    ] {
        let refused = get(&yard, &yard.admin, &format!("?{query}")).await.expect(400);
        assert_eq!(refused.code(), code, "{query}");
        assert_eq!(refused.json()["errors"][0]["source"], json!({ "parameter": name }), "{query}");
    }
    // A cursor is bound to the ids.
    let page = get(&yard, &yard.admin, "?filter[id]=1,2&page[size]=1").await.expect(200).json();
    let next = page["links"]["next"].as_str().unwrap().to_owned();
    let rest = yard.app.get(&next).bearer(&yard.admin.jwt).send().await.expect(200).json();
    assert_eq!(ids(&rest["data"]), ["2"]);
    let cursor = next.split("after%5D=").nth(1).unwrap();
    let other = get(&yard, &yard.admin, &format!("?filter[id]=1,3&page[size]=1&page[after]={cursor}")).await;
    assert_eq!(other.expect(400).code(), "invalid_cursor");
}

async fn incursions_are_sorted_by_several_keys(app: TestApp) {
    let yard = BerlinYard::set_up(app).await;
    // Second of the start, duration and time until the acknowledgement.
    let spans = [(0, 9, Some(2)), (1, 3, None), (2, 9, Some(1)), (3, 3, Some(2)), (4, 9, None), (5, 3, None)];
    let events = spans.iter().zip(1..).map(|((start, duration, acknowledged), uid): (_, i64)| {
        let at = |second: i64| format!("2026-03-01T08:00:{second:02}Z");
        let mut event = json!({ "started_at": at(*start), "ended_at": at(start + duration) });
        if let Some(after) = acknowledged {
            event["acknowledged_at"] = json!(at(start + after));
        }
        with(incursion(&uid.to_string()), event)
    });
    yard.send_accepted(Value::Array(events.collect())).await;
    for (sort, expected) in [
        ("duration_ms,started_at", ["2", "4", "6", "1", "3", "5"]),
        ("duration_ms,-started_at", ["6", "4", "2", "5", "3", "1"]),
        ("-duration_ms,ack_ms,started_at", ["5", "3", "1", "2", "6", "4"]),
        ("ack_ms,-duration_ms,-started_at", ["5", "6", "2", "3", "1", "4"]),
        ("-started_at,duration_ms", ["6", "5", "4", "3", "2", "1"]),
        ("duration_ms,ack_ms", ["2", "6", "4", "5", "3", "1"]),
    ] {
        let whole = get(&yard, &yard.admin, &format!("?sort={sort}")).await.expect(200).json();
        assert_eq!(ids(&whole["data"]), expected, "{sort}");
        let paged = format!("?sort={sort}&page[size]=2");
        let mut page = get(&yard, &yard.admin, &paged).await.expect(200).json();
        let mut seen = ids(&page["data"]);
        while let Some(next) = page["links"]["next"].as_str().map(str::to_owned) {
            page = yard.app.get(&next).bearer(&yard.admin.jwt).send().await.expect(200).json();
            seen.extend(ids(&page["data"]));
        }
        assert_eq!(seen, expected, "{sort}");
        let mut back = ids(&page["data"]);
        while let Some(previous) = page["links"]["prev"].as_str().map(str::to_owned) {
            page = yard.app.get(&previous).bearer(&yard.admin.jwt).send().await.expect(200).json();
            back.splice(0..0, ids(&page["data"]));
        }
        assert_eq!(back, expected, "{sort} backwards");
    }
    for sort in ["duration_ms,duration_ms", "ack_ms,-ack_ms", "ack_ms,", ",ack_ms", "ack_ms,zone"] {
        let refused = get(&yard, &yard.admin, &format!("?sort={sort}")).await.expect(400);
        assert_eq!(refused.code(), "invalid_sort", "{sort}");
    }
}

async fn a_wide_period_of_many_is_not_sorted_by_spans(app: TestApp) {
    let yard = BerlinYard::set_up(app).await;
    let events = (1..=3).map(|uid: i64| incursion(&uid.to_string()));
    yard.send_accepted(Value::Array(events.collect())).await;
    let small = yard.app.second_instance_with(|config| config.analytics.max_sorted_incursions = 2).await;
    let get = |query: &str| small.get(&format!("/api/v2/incursions?{query}")).bearer(&yard.admin.jwt).send();
    for sort in ["duration_ms", "-ack_ms", "started_at,ack_ms"] {
        let refused = get(&format!("sort={sort}&filter[from]=2026-01-28")).await.expect(400);
        assert_eq!(refused.code(), "too_wide", "{sort}");
        assert_eq!(refused.json()["errors"][0]["source"], json!({ "parameter": "sort" }), "{sort}");
    }
    for query in [
        "sort=duration_ms",
        "sort=started_at&filter[from]=2026-01-28",
        "sort=duration_ms&filter[from]=2026-01-28&filter[id]=1,2",
    ] {
        get(query).await.expect(200);
    }
}

async fn links_stay_in_their_period_after_midnight(app: TestApp) {
    let yard = BerlinYard::set_up(app).await;
    // The last one happened on the first of the 28 days.
    let starts = ["2026-03-01T08:00:00Z", "2026-03-01T07:00:00Z", "2026-02-02T08:00:00Z"];
    let events = starts.iter().zip(1..).map(|(start, uid): (_, i64)| {
        let end = start.replace(":00Z", ":09Z");
        with(incursion(&uid.to_string()), json!({ "started_at": start, "ended_at": end }))
    });
    yard.send_accepted(Value::Array(events.collect())).await;
    let mut pages = Vec::new();
    for sort in ["-started_at", "-duration_ms,-started_at"] {
        let query = format!("?sort={sort}&page[size]=1&page[total]=true");
        let page = get(&yard, &yard.admin, &query).await.expect(200).json();
        assert_eq!((ids(&page["data"]), &page["meta"]["total"]), (vec!["1".to_owned()], &json!(3)), "{sort}");
        pages.push(page["links"]["next"].as_str().unwrap().to_owned());
    }
    // To half past midnight in Berlin, where all the worksites are.
    yard.app.clock.advance(domain::Span::minutes(11 * 60 + 30));
    let later = yard.app.sign_in_new_user("later@example.com", Role::Admin).await;
    let begun = get(&yard, &later, "?page[total]=true").await.expect(200).json();
    assert_eq!(begun["meta"]["total"], 2, "a new list begins a day later");
    for mut next in pages {
        for expected in ["2", "3"] {
            let page = yard.app.get(&next).bearer(&later.jwt).send().await.expect(200).json();
            assert_eq!((ids(&page["data"]), &page["meta"]["total"]), (vec![expected.to_owned()], &json!(3)));
            next = page["links"]["next"].as_str().or(page["links"]["prev"].as_str()).unwrap().to_owned();
        }
        // And back again.
        let page = yard.app.get(&next).bearer(&later.jwt).send().await.expect(200).json();
        assert_eq!((ids(&page["data"]), &page["meta"]["total"]), (vec!["2".to_owned()], &json!(3)));
    }
}

async fn what_leaves_the_callers_projects_is_gone_from_the_feed(app: TestApp) {
    let yard = BerlinYard::set_up(app).await;
    yard.send_accepted(json!([incursion("1")])).await;
    yard.post("projects", json!({ "name": "South" })).await;
    let ours = yard.restricted("ours@example.com", Role::Viewer, &[1]).await;
    let first = get(&yard, &ours, "?filter[after_seq]=0").await.expect(200).json();
    assert_eq!(ids(&first["data"]), ["1"]);
    let seq = first["meta"]["seq"].as_i64().unwrap();
    yard.patch("worksites/1", json!({ "project_id": 2, "effective_from": "2026-01-01T00:00:00Z" })).await;
    yard.app.run_jobs().await;
    let path = format!("?filter[after_seq]={seq}&include=machine");
    let later = get(&yard, &ours, &path).await.expect(200).json();
    let gone_at = later["data"][0]["meta"]["seq"].as_i64().unwrap();
    assert!(gone_at > seq, "{later}");
    let gone = json!({ "type": "incursions", "id": "1", "meta": { "gone": true, "seq": gone_at } });
    assert_eq!((&later["data"], &later["included"]), (&json!([gone]), &json!([])));
    get(&yard, &ours, "/1").await.expect(404);
    // Other callers see where it is now.
    let wide = get(&yard, &yard.admin, &path).await.expect(200).json();
    assert_eq!(wide["data"][0]["relationships"]["project"]["data"]["id"], "2");
    assert_eq!(wide["meta"]["seq"], wide["meta"]["last_seq"]);
}

async fn the_feed_takes_no_other_filter_and_is_paged(app: TestApp) {
    let yard = BerlinYard::set_up(app).await;
    yard.send_accepted(json!([incursion("1"), incursion("2")])).await;
    for name in ["filter[zone]", "filter[from]", "sort", "page[before]", "page[total]"] {
        let value = if name == "page[total]" { "true" } else { "x" };
        let refused =
            get(&yard, &yard.admin, &format!("?filter[after_seq]=0&{name}={value}")).await.expect(400);
        assert_eq!(refused.code(), "not_with_after_seq", "{name}");
        assert_eq!(refused.json()["errors"][0]["source"], json!({ "parameter": name }));
    }
    get(&yard, &yard.admin, "?filter[after_seq]=0&page[total]=false").await.expect(200);
    for ahead in ["99", "-1", "x"] {
        let refused = get(&yard, &yard.admin, &format!("?filter[after_seq]={ahead}")).await.expect(400);
        assert_eq!(refused.json()["errors"][0]["source"], json!({ "parameter": "filter[after_seq]" }));
    }
    let page = get(&yard, &yard.admin, "?filter[after_seq]=0&page[size]=1").await.expect(200).json();
    assert_eq!((ids(&page["data"]), &page["links"]["prev"]), (vec!["1".to_owned()], &Value::Null));
    let next = page["links"]["next"].as_str().unwrap();
    let next = yard.app.get(next).bearer(&yard.admin.jwt).send().await.expect(200).json();
    assert_eq!((ids(&next["data"]), &next["links"]["next"]), (vec!["2".to_owned()], &Value::Null));
}

async fn a_review_is_an_attribute_that_can_be_changed(app: TestApp) {
    let yard = BerlinYard::set_up(app).await;
    yard.send_accepted(json!([incursion("1")])).await;
    let member = yard.app.sign_in_new_user("member@example.com", Role::Member).await;
    let said = json!({ "state": "confirmed", "comment": "Seen from the office" });
    let reply = patch(&yard, &member, &reviewed(&said), "*").await.expect(200);
    let review = reply.json()["data"]["attributes"]["review"].clone();
    assert_eq!(reply.json()["data"]["attributes"]["updated_at"], review["at"]);
    assert_eq!((&review["state"], &review["comment"]), (&said["state"], &said["comment"]));
    let version = reply.header("etag").to_owned();
    // What was read is sent back, and nothing changes.
    let read = get(&yard, &member, "/1").await.expect(200).json()["data"].clone();
    let again = patch(&yard, &member, &read, &version).await.expect(200);
    assert_eq!((again.header("etag"), &again.json()["data"]), (&*version, &read));
    let history = yard.get("incursions/1").await["reviews"].as_array().unwrap().len();
    assert_eq!(history, 1);
    let empty = json!({ "type": "incursions", "id": "1" });
    assert_eq!(patch(&yard, &member, &empty, &version).await.expect(200).header("etag"), version);
    let withdrawn = patch(&yard, &member, &reviewed(&json!({ "state": "unreviewed" })), &version).await;
    assert_ne!(withdrawn.expect(200).header("etag"), version);
    for data in [&empty, &reviewed(&said)] {
        assert_eq!(patch(&yard, &member, data, &version).await.expect(412).code(), "stale");
    }
}

async fn a_review_that_is_wrong_is_refused(app: TestApp) {
    let yard = BerlinYard::set_up(app).await;
    yard.send_accepted(json!([incursion("1")])).await;
    for (review, place) in [
        (json!({ "state": "x" }), "/state"),
        (json!({ "comment": "Seen" }), "/state"),
        (json!({ "state": "confirmed", "comment": 7 }), "/comment"),
        (json!({ "state": "confirmed", "surprise": 7 }), "/surprise"),
        (json!("confirmed"), ""),
        (json!(null), ""),
    ] {
        let refused = patch(&yard, &yard.admin, &reviewed(&review), "*").await.expect(422);
        let pointer = format!("/data/attributes/review{place}");
        assert_eq!(refused.json()["errors"][0]["source"]["pointer"], pointer, "{review}");
    }
    let viewer = yard.app.sign_in_new_user("viewer@example.com", Role::Viewer).await;
    let refused = patch(&yard, &viewer, &reviewed(&json!({ "state": "confirmed" })), "*").await.expect(403);
    assert_eq!(refused.code(), "permission_missing");
    yard.post("projects", json!({ "name": "South" })).await;
    let elsewhere = yard.restricted("south@example.com", Role::Member, &[2]).await;
    patch(&yard, &elsewhere, &reviewed(&json!({ "state": "confirmed" })), "*").await.expect(404);
    let read = get(&yard, &yard.admin, "/1").await.expect(200).json();
    assert_eq!(read["data"]["attributes"]["review"]["state"], "unreviewed");
}

async fn who_was_in_it_may_have_been_corrected_since_it_was_read(app: TestApp) {
    let yard = BerlinYard::set_up(app).await;
    yard.send_accepted(json!([incursion("1")])).await;
    let read = get(&yard, &yard.admin, "/1").await.expect(200);
    yard.patch("tag_assignments/1", json!({ "ended_at": "2026-02-01T00:00:00Z" })).await;
    yard.app.run_jobs().await;
    let now = get(&yard, &yard.admin, "/1").await.expect(200).json();
    assert_eq!(now["data"]["relationships"]["pedestrian"]["data"], Value::Null);
    let mut document = read.json()["data"].clone();
    assert_eq!(document["relationships"]["pedestrian"]["data"]["id"], "1");
    document["attributes"]["review"] = json!({ "state": "confirmed" });
    let refused = patch(&yard, &yard.admin, &document, read.header("etag")).await.expect(412);
    assert_eq!(refused.code(), "stale");
    // Without the precondition the review is saved, and what follows from other records stays as it is.
    let saved = patch(&yard, &yard.admin, &document, "*").await.expect(200).json();
    assert_eq!(saved["data"]["attributes"]["review"]["state"], "confirmed");
    assert_eq!(saved["data"]["relationships"], now["data"]["relationships"]);
    let machine = json!({ "machine": { "data": null } });
    let moved = json!({ "type": "incursions", "id": "1", "relationships": machine });
    let same = patch(&yard, &yard.admin, &moved, "*").await.expect(200).json();
    assert_eq!(same["data"], saved["data"]);
}

async fn viewers_get_no_names(app: TestApp) {
    let yard = BerlinYard::set_up(app).await;
    yard.send_accepted(json!([incursion("1")])).await;
    patch(&yard, &yard.admin, &reviewed(&json!({ "state": "confirmed", "comment": "Ada again" })), "*")
        .await
        .expect(200);
    let viewer = yard.app.sign_in_new_user("viewer@example.com", Role::Viewer).await;
    let document = get(&yard, &viewer, "?include=pedestrian,tag").await.expect(200);
    assert!(!String::from_utf8_lossy(&document.body).contains("Ada"));
    let document = document.json();
    assert_eq!(document["data"][0]["attributes"]["review"]["comment"], Value::Null);
    let person = document["included"].as_array().unwrap().iter().find(|one| one["type"] == "people").unwrap();
    assert_eq!(person["attributes"]["name"], "Person 1");
}

async fn a_comment_comes_back_as_it_was_written(app: TestApp) {
    let yard = BerlinYard::set_up(app).await;
    yard.send_accepted(json!([incursion("1")])).await;
    let comment = "\"Stop!\"\nC:\\yard, [1, null] – näher als 2 m 😀";
    let review = json!({ "state": "confirmed", "comment": comment });
    patch(&yard, &yard.admin, &reviewed(&review), "*").await.expect(200);
    let listed = get(&yard, &yard.admin, "").await.expect(200).json()["data"][0].clone();
    assert_eq!(listed["attributes"]["review"]["comment"], comment);
    assert_eq!(get(&yard, &yard.admin, "/1").await.expect(200).json()["data"], listed);
}

async fn a_page_takes_few_statements(app: TestApp) {
    let yard = BerlinYard::set_up(app).await;
    yard.send_accepted(json!([incursion("1"), incursion("2")])).await;
    let store = &yard.app.edge().app.store;
    for (query, expected) in [
        ("", 2),
        // Machines and worksites are in memory from the first request on.
        ("?include=machine,worksite", 2),
        ("?include=machine,worksite,project,pedestrian,operator", 4),
        ("?include=machine&filter[from]=2026-01-01", 2),
    ] {
        get(&yard, &yard.admin, query).await.expect(200);
        let before = store.statement_count();
        let document = get(&yard, &yard.admin, query).await.expect(200).json();
        assert_eq!(document["data"].as_array().unwrap().len(), 2, "{query}");
        assert_eq!(store.statement_count() - before, expected, "{query}");
    }
}

async fn included_records_are_those_that_the_caller_sees(app: TestApp) {
    let yard = BerlinYard::set_up(app).await;
    yard.send_accepted(json!([incursion("1")])).await;
    yard.post("projects", json!({ "name": "South" })).await;
    // The incursion stays in project 1.
    yard.patch("worksites/1", json!({ "project_id": 2 })).await;
    yard.app.run_jobs().await;
    let ours = yard.restricted("ours@example.com", Role::Viewer, &[1]).await;
    // What was read for those who see everything is in memory from the second round on.
    for round in 0..2 {
        for (user, sites) in [(&yard.admin, vec!["1".to_owned()]), (&ours, Vec::new())] {
            for rest in ["?include=worksite", "/1?include=worksite"] {
                let document = get(&yard, user, rest).await.expect(200).json();
                assert_eq!(ids(&document["included"]), sites, "{round} {rest} {document}");
            }
        }
    }
}

async fn included_records_are_as_they_are_now(app: TestApp) {
    let yard = BerlinYard::set_up(app).await;
    yard.send_accepted(json!([incursion("1")])).await;
    let names = async || {
        let query = "?include=machine,worksite&fields[machines]=name&fields[worksites]=name";
        let document = get(&yard, &yard.admin, query).await.expect(200).json();
        let included = document["included"].as_array().unwrap().iter();
        included.map(|record| record["attributes"]["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let before = names().await;
    assert_eq!(names().await, before);
    for (path, name) in [("machines", "Excavator 99"), ("worksites", "Far yard")] {
        let data = json!({ "data": { "type": path, "id": "1", "attributes": { "name": name } } });
        let call = yard.app.patch(&format!("/api/v2/{path}/1")).bearer(&yard.admin.jwt);
        call.bytes(JSON_API, data.to_string()).send().await.expect(200);
        assert!(names().await.contains(&name.to_owned()), "{name}");
    }
}
