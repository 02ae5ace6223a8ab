//! Deliberate attempts of a caller who sees only one project to change the past of another: each is refused with `restricted` or finds
//! nothing, and nothing outside changes. Next to each attempt is what the caller may do.

use domain::Role;
use http::Method;
use serde_json::{Value, json};
use testkit::{TestApp, on_both_engines};

use super::two_projects::TwoProjects;

on_both_engines!(
    tag_assignments_with_facts_outside_stay,
    assignments_are_corrected_where_nothing_lies_outside,
    people_who_belong_elsewhere_stay,
    people_who_belong_elsewhere_are_not_told_to_be_about,
    tags_of_people_who_belong_elsewhere_are_not_found_by_their_silence,
    visits_outside_stay,
    machines_and_stations_do_not_take_facts_along,
    stations_do_not_take_their_past_along,
    boundaries_swallow_nothing_of_others,
    projects_of_sites_stay,
    documents_change_nothing_outside,
    documents_show_nothing_outside,
    erasing_stays_within,
);

/// Tries calls as a restricted member and a restricted admin; each must be refused and change nothing outside.
async fn assert_all_refused(fixture: &TwoProjects, attacks: &[(Method, &str, Value)]) {
    for role in [Role::Member, Role::Admin] {
        let caller = fixture.restricted(role).await;
        for (method, path, body) in attacks {
            let reply = fixture.call(&caller, method.clone(), path, body).await;
            let text = String::from_utf8_lossy(&reply.body).into_owned();
            match reply.status.as_u16() {
                403 => assert_eq!(reply.code(), "restricted", "{method} {path} {body}: {text}"),
                status => assert_eq!(status, 404, "{method} {path} {body}: {text}"),
            }
            fixture.expect_unchanged(&format!("{method} {path} {body}")).await;
        }
    }
}

async fn tag_assignments_with_facts_outside_stay(app: TestApp) {
    let there = TwoProjects::new(app).await;
    assert_all_refused(
        &there,
        &[
            // Olga's assignment, which belongs entirely to the other project.
            (Method::PATCH, "tag_assignments/2", json!({ "ended_at": "2026-03-01T09:05:00Z" })),
            (Method::DELETE, "tag_assignments/2", Value::Null),
            (Method::POST, "tag_assignments", json!({ "tag_id": 2, "person_id": 1, "replace": true })),
            (Method::PATCH, "tags/2", json!({ "retired": true })),
            (Method::PATCH, "tags/2", json!({ "role": "operator" })),
            // Max's, who met machines in both projects and drove in the other.
            (Method::PATCH, "tag_assignments/3", json!({ "ended_at": "2026-03-01T09:12:00Z" })),
            (Method::PATCH, "tag_assignments/3", json!({ "assigned_at": "2026-03-01T09:25:00Z" })),
            (Method::PATCH, "tag_assignments/3", json!({ "ended_at": "2026-03-01T09:59:00Z" })),
            (
                Method::POST,
                "tag_assignments",
                json!({ "tag_id": 3, "person_id": 1, "replace": true, "assigned_at": "2026-03-01T09:12:00Z" }),
            ),
            // Mia's tag was tested at the kiosk of the other project.
            (Method::PATCH, "tag_assignments/1", json!({ "assigned_at": "2026-03-01T08:55:00Z" })),
            // Vic is checked in at the other project.
            (Method::DELETE, "tag_assignments/6", Value::Null),
        ],
    )
    .await;
}

async fn assignments_are_corrected_where_nothing_lies_outside(app: TestApp) {
    let there = TwoProjects::new(app).await;
    let member = there.restricted(Role::Member).await;
    let call = |method, path: &'static str, body| {
        let (there, member) = (&there, &member);
        async move { there.call(member, method, path, &body).await }
    };
    // Mia's incursion of 9:00 is in the caller's own project, and loses its person.
    call(Method::PATCH, "tag_assignments/1", json!({ "ended_at": "2026-03-01T08:58:00Z" })).await.expect(200);
    there.expect_unchanged("correcting Mia's assignment").await;
    let shown = call(Method::GET, "incursions/1", Value::Null).await.expect(200).json();
    assert_eq!(shown["pedestrian"], Value::Null);
    // Max's assignment ends now; the past stays.
    call(Method::DELETE, "tag_assignments/3", Value::Null).await.expect(200);
    // A person without links belongs to everyone, and so does what the caller did.
    call(Method::PATCH, "people/4", json!({ "name": "Nora Nowhere" })).await.expect(200);
    call(Method::PATCH, "tags/4", json!({ "retired": true })).await.expect(200);
    let given = json!({ "tag_serial": "T-9", "person_id": 2 });
    let given = call(Method::POST, "tag_assignments", given).await.expect(201).json();
    let path = format!("tag_assignments/{}", given["id"]);
    there.call(&member, Method::DELETE, &path, &Value::Null).await.expect(200);
    there.expect_unchanged("what is allowed").await;
}

async fn people_who_belong_elsewhere_stay(app: TestApp) {
    let there = TwoProjects::new(app).await;
    let note = |id: i64| json!({ "entity_type": "person", "entity_id": id, "body": "Was here" });
    assert_all_refused(
        &there,
        &[
            (Method::PATCH, "people/2", json!({ "name": "Olga O" })),
            (Method::POST, "people/2/archive", Value::Null),
            (Method::POST, "notes", note(2)),
            (Method::PATCH, "people/6", json!({ "name": "Victor" })),
            (Method::POST, "people/6/archive", Value::Null),
            (Method::POST, "notes", note(6)),
        ],
    )
    .await;
    let member = there.restricted(Role::Member).await;
    for id in [1, 3, 4, 5] {
        there.call(&member, Method::POST, "notes", &note(id)).await.expect(201);
        let name = json!({ "name": format!("Someone {id}") });
        there.call(&member, Method::PATCH, &format!("people/{id}"), &name).await.expect(200);
    }
    // A person found by email at the kiosk stays unchanged.
    let visit = json!({ "name": "Victor", "email": "vic@example.com", "company": "X", "tag_serial": "V-9", "worksite_id": 1 });
    assert_eq!(there.call(&member, Method::POST, "visitor_sessions", &visit).await.status, 422);
    there.expect_unchanged("a check-in").await;
}

async fn people_who_belong_elsewhere_are_not_told_to_be_about(app: TestApp) {
    let there = TwoProjects::new(app).await;
    let member = there.restricted(Role::Member).await;
    let get = async |cookie: &str, path: &str| {
        there.world.app.get(&format!("/api/v1/{path}")).cookie(cookie).send().await.expect(200).json()
    };
    let seen = async |cookie: &str| -> Vec<(String, bool, bool, bool)> {
        let mut seen = Vec::new();
        let list = get(cookie, "entities?type=person&limit=100").await;
        let tags = get(cookie, "tags?limit=100").await;
        for (id, name) in [(1, "Mia"), (2, "Olga"), (3, "Max")] {
            let row = list["data"].as_array().unwrap().iter().find(|row| row["name"] == name).unwrap();
            let one = get(cookie, &format!("entities/people/{id}")).await;
            assert_eq!(row["last_seen_at"].is_null(), one["last_seen_at"].is_null(), "{name}");
            let tag = get(cookie, &format!("tags/{id}")).await;
            let of_list = tags["data"].as_array().unwrap().iter().find(|row| row["id"] == id).unwrap();
            assert_eq!(of_list["last_seen_at"], tag["last_seen_at"], "{name}");
            let is_told = |value: &Value| !value["last_seen_at"].is_null();
            let of_device = row["tags"].as_array().is_some_and(|tags| tags.iter().any(is_told));
            seen.push((name.to_owned(), is_told(row), of_device, is_told(&tag)));
        }
        seen
    };
    for (name, of_person, of_device, of_tag) in seen(&there.admin.cookie).await {
        assert!(of_person && of_device && of_tag, "{name} is visible to the admin");
    }
    for (name, of_person, of_device, of_tag) in seen(&member.account.cookie).await {
        let is_told = name != "Olga";
        assert_eq!((of_person, of_device, of_tag), (is_told, is_told, is_told), "{name}");
    }
}

async fn tags_of_people_who_belong_elsewhere_are_not_found_by_their_silence(app: TestApp) {
    let there = TwoProjects::new(app).await;
    let member = there.restricted(Role::Member).await;
    there.world.app.clock.advance(domain::Span::minutes(30 * 24 * 60));
    // Sessions have expired meanwhile.
    let sign_in = async |email: &str| {
        there.world.app.log_in_v1(email, testkit::PASSWORD).await.expect(201).session_cookie()
    };
    let (wide, member) = (sign_in(&there.admin.email).await, sign_in(&member.account.email).await);
    let silent = async |cookie: &str| -> Vec<String> {
        let path = "/api/v1/tags?flag=silent&include_total=true";
        let list = there.world.app.get(path).cookie(cookie).send().await.expect(200).json();
        let found = list["data"].as_array().unwrap().iter();
        let found: Vec<String> = found.map(|tag| tag["serial"].as_str().unwrap().to_owned()).collect();
        assert_eq!(list["page"]["total"], found.len());
        found
    };
    assert_eq!(silent(&wide).await, ["T-1", "T-2", "T-3"]);
    assert_eq!(silent(&member).await, ["T-1", "T-3"]);
}

async fn visits_outside_stay(app: TestApp) {
    let mut there = TwoProjects::new(app).await;
    assert_all_refused(
        &there,
        &[
            (Method::POST, "visitor_sessions/2/check_out", Value::Null),
            (Method::PATCH, "visitor_sessions/2", json!({ "company": "X" })),
            (Method::PATCH, "visitor_sessions/2", json!({ "worksite_id": 1 })),
        ],
    )
    .await;
    let member = there.restricted(Role::Member).await;
    // A visit cannot be moved into another project either.
    let moved = there.call(&member, Method::PATCH, "visitor_sessions/1", &json!({ "worksite_id": 2 })).await;
    assert_eq!(moved.status, 422);
    there.call(&member, Method::POST, "visitor_sessions/1/check_out", &Value::Null).await.expect(200);
    there.expect_unchanged("checking out at home").await;

    // Vera, a guest of the first project, is at the second now: archiving her would check her out there.
    there
        .post_as_admin("visitor_sessions", json!({ "person_id": 5, "tag_serial": "V-3", "worksite_id": 2 }))
        .await;
    there.take_snapshot().await;
    let archived = there.call(&member, Method::POST, "people/5/archive", &Value::Null).await.expect(403);
    assert_eq!(archived.code(), "restricted");
    there.expect_unchanged("archiving a guest of both projects").await;
}

async fn machines_and_stations_do_not_take_facts_along(app: TestApp) {
    let mut there = TwoProjects::new(app).await;
    // Crane 2 moves to the first project; its past stays where it was.
    let to_first = json!({ "worksite_id": 1 });
    let wide = there.admin.cookie.clone();
    there.world.app.patch("/api/v1/machines/2").cookie(&wide).json(&to_first).send().await.expect(200);
    there.world.app.clock.advance(domain::Span::minutes(10));
    there.world.app.run_jobs().await;
    there.take_snapshot().await;
    let early = "2026-03-01T08:00:00Z";
    assert_all_refused(
        &there,
        &[
            (Method::PATCH, "machines/2", json!({ "worksite_id": 1, "effective_from": early })),
            (Method::PUT, "worksites/1/assignments/machines/2", json!({ "effective_from": early })),
            (
                Method::PUT,
                "base_stations/2/installation",
                json!({ "machine_id": 1, "effective_from": early, "replace": true }),
            ),
            (
                Method::PUT,
                "base_stations/1/installation",
                json!({ "machine_id": 2, "effective_from": early, "replace": true }),
            ),
            // It detected someone inside the other project's boundary while it was on crane 1.
            (
                Method::PUT,
                "base_stations/1/installation",
                json!({ "machine_id": 2, "effective_from": "2026-03-01T09:14:00Z", "replace": true }),
            ),
            (Method::PATCH, "machines/3", json!({ "worksite_id": 1, "effective_from": early })),
            // Crane 1 would have been at no worksite, and its facts in no project.
            (Method::PATCH, "machines/1", json!({ "worksite_id": null, "effective_from": early })),
        ],
    )
    .await;
    let admin = there.restricted(Role::Admin).await;
    let zones = json!([{ "antenna": "front", "warning_m": 9, "danger_m": 4 }]);
    let back = json!({ "zones": zones, "effective_from": early });
    assert_eq!(
        there.call(&admin, Method::PATCH, "base_stations/2", &back).await.expect(403).code(),
        "restricted"
    );
    there.expect_unchanged("zones of another time").await;
    there.call(&admin, Method::PATCH, "base_stations/1", &back).await.expect(200);
    // A change from now on is allowed.
    there
        .call(&admin, Method::PUT, "base_stations/1/installation", &json!({ "machine_id": 2 }))
        .await
        .expect(200);
}

async fn stations_do_not_take_their_past_along(app: TestApp) {
    let there = TwoProjects::new(app).await;
    let app = &there.world.app;
    let wide = there.admin.cookie.clone();
    let (member, admin) = (there.restricted(Role::Member).await, there.restricted(Role::Admin).await);
    // Crane 2 moves to the first project, and its station with it.
    app.clock.advance(domain::Span::minutes(3));
    let to_first = json!({ "worksite_id": 1 });
    app.patch("/api/v1/machines/2").cookie(&wide).json(&to_first).send().await.expect(200);
    app.clock.advance(domain::Span::minutes(3));
    app.run_jobs().await;
    let station = "/api/v1/base_stations/2";
    let day = "from=2026-02-28T00:00:00Z&to=2026-03-03T00:00:00Z";
    let v1 = async |cookie: &str, path: &str| {
        app.get(&format!("{station}{path}")).cookie(cookie).send().await.expect(200).json()
    };
    let v2 = async |jwt: &str, path: &str| {
        app.get(&format!("/api/v2/base_stations/2/{path}")).bearer(jwt).send().await
    };
    let length = |list: &Value| list["data"].as_array().unwrap().len();
    let timeline = format!("/timeline?{day}&include_total=true");
    let tracks = format!("gps_tracks?{day}");
    let all = v1(&wide, &timeline).await;
    let alarm = all["data"].as_array().unwrap().iter().find(|entry| entry["kind"] == "alarm");
    let alarm = alarm.unwrap_or_else(|| panic!("{all}"));
    let alarm = format!("events/{}", alarm["event_id"].as_str().unwrap());
    assert_eq!(length(&v1(&wide, "/messages").await), 1);
    assert!(!v1(&wide, "").await["last_position"].is_null());
    v2(&there.admin.jwt, &alarm).await.expect(200);
    let way = v2(&there.admin.jwt, &tracks).await.expect(200).json();
    assert!(!way["features"].as_array().unwrap().is_empty(), "{way}");
    // Its past before the move is not visible to callers of the first project only.
    for caller in [&member, &admin] {
        let (cookie, jwt) = (&caller.account.cookie, &caller.account.jwt);
        let seen = v1(cookie, &timeline).await;
        assert_eq!((length(&seen), &seen["page"]["total"]), (0, &json!(0)), "{seen}");
        assert_eq!(length(&v1(cookie, "/messages?include_total=true").await), 0);
        assert_eq!(v1(cookie, "").await["last_position"], Value::Null);
        v2(jwt, &alarm).await.expect(404);
        let way = v2(jwt, &tracks).await.expect(200).json();
        assert_eq!(way["features"], json!([]));
    }
    let clip = json!({ "from": "2026-03-01T09:00:00Z", "to": "2026-03-01T09:00:10Z" });
    there.call(&member, Method::POST, "base_stations/2/video_clips", &clip).await.expect(422);
    // They cannot get its token either, with which that past could be reported again. The station keeps its own token.
    let path = "/api/v1/admin/base_stations/2/token";
    let refused = app.post(path).cookie(&admin.account.cookie).send().await.expect(403);
    assert_eq!(refused.code(), "restricted");
    app.post("/api/v1/admin/base_stations/1/token").cookie(&admin.account.cookie).send().await.expect(201);
    let token = app.post(path).cookie(&wide).send().await.expect(201).json();
    let now = app.clock.now();
    let event = json!([
        { "uid": "n", "kind": "alarm", "at": now, "code": "E2", "severity": "warning", "text": "Antenna" },
        { "uid": "g", "kind": "gps", "fixes": [[now, 52.5, 13.42]] },
    ]);
    let sent = app.post("/ingest/v1/events").bearer(token["token"].as_str().unwrap()).json(&event);
    assert_eq!(sent.send().await.expect(200).json()["rejected"], json!([]));
    there
        .call(&member, Method::POST, "base_stations/2/messages", &json!({ "body": "Hello" }))
        .await
        .expect(201);
    // Its facts from then on are visible.
    app.clock.advance(domain::Span::minutes(1));
    let seen = v1(&member.account.cookie, "/timeline?kind=alarm&kind=message").await;
    assert_eq!(length(&seen), 2, "{seen}");
    assert_eq!(length(&v1(&member.account.cookie, "/messages").await), 1);
    assert!(!v1(&member.account.cookie, "").await["last_position"].is_null());
    let way = v2(&member.account.jwt, "gps_tracks").await.expect(200).json();
    assert_eq!(way["features"].as_array().unwrap().len(), 1, "{way}");
}

async fn boundaries_swallow_nothing_of_others(app: TestApp) {
    let there = TwoProjects::new(app).await;
    let circle =
        |lon: f64, radius: i64| json!({ "type": "Circle", "center": [lon, 52.5], "radius_m": radius });
    let early = "2026-03-01T08:00:00Z";
    let new = |lon: f64, radius: i64| {
        json!({
            "name": "Site 4", "kind": "other", "colour": "#ff8800", "time_zone": "UTC", "project_id": 1,
            "boundary": circle(lon, radius), "effective_from": early,
        })
    };
    assert_all_refused(
        &there,
        &[
            // Smaller than the other project's worksite, and therefore the one that facts are attributed to.
            (
                Method::PATCH,
                "worksites/1",
                json!({ "boundary": circle(13.44, 200), "effective_from": early }),
            ),
            (Method::POST, "worksites", new(13.44, 200)),
            // Over facts that belong to no project.
            (
                Method::PATCH,
                "worksites/1",
                json!({ "boundary": circle(13.46, 200), "effective_from": early }),
            ),
            (Method::PATCH, "worksites/2", json!({ "name": "Mine now" })),
            (Method::DELETE, "worksites/2", Value::Null),
        ],
    )
    .await;
    let member = there.restricted(Role::Member).await;
    // A large boundary around everything changes nothing: the smallest one counts.
    let wide = json!({ "boundary": circle(13.42, 400), "effective_from": early });
    there.call(&member, Method::PATCH, "worksites/1", &wide).await.expect(200);
    there.call(&member, Method::POST, "worksites", &new(13.44, 5_000)).await.expect(201);
    there.expect_unchanged("a larger boundary").await;
    // Later facts are attributed by the boundary of their time.
    there.world.app.clock.advance(domain::Span::minutes(10));
    let now = json!({ "boundary": circle(13.44, 200) });
    there.call(&member, Method::PATCH, "worksites/1", &now).await.expect(200);
    there.expect_unchanged("a boundary from now on").await;
}

async fn projects_of_sites_stay(app: TestApp) {
    let there = TwoProjects::new(app).await;
    let app = &there.world.app;
    let member = there.restricted(Role::Member).await;
    let link = |kind: &str, id: &str| json!({ "data": [{ "type": kind, "id": id }] });
    for (method, path, body) in [
        (Method::POST, "projects/1/relationships/worksites", link("worksites", "2")),
        (Method::PATCH, "projects/1/relationships/worksites", link("worksites", "3")),
        (Method::PATCH, "projects/1/relationships/worksites", json!({ "data": [] })),
        (Method::DELETE, "projects/1/relationships/worksites", link("worksites", "1")),
        (Method::POST, "projects/2/relationships/worksites", link("worksites", "1")),
        (Method::POST, "worksites/1/relationships/machines", link("machines", "2")),
        (Method::PATCH, "worksites/2/relationships/machines", link("machines", "1")),
        (
            Method::PATCH,
            "worksites/1/relationships/project",
            json!({ "data": { "type": "projects", "id": "2" } }),
        ),
        (Method::PATCH, "worksites/1/relationships/project", json!({ "data": null })),
    ] {
        let call = app.request(method.clone(), &format!("/api/v2/{path}")).bearer(&member.account.jwt);
        let reply = call.bytes("application/vnd.api+json", body.to_string()).send().await;
        let status = reply.status.as_u16();
        assert!([403, 404, 422].contains(&status), "{method} {path} {body}: {status}");
        there.expect_unchanged(&format!("{method} {path} {body}")).await;
    }
    // The worksite belonged to the other project in January, so they cannot change that time.
    for change in [json!({ "project_id": 1 }), json!({ "time_zone": "Asia/Tokyo" })] {
        let mut change = change;
        change["effective_from"] = json!("2026-02-01T00:00:00Z");
        let refused = there.call(&member, Method::PATCH, "worksites/2", &change).await;
        assert_eq!(refused.status, 404);
    }
    there.expect_unchanged("terms of another's site").await;
}

/// The same attempts as above, through the resources of V2.
async fn documents_change_nothing_outside(app: TestApp) {
    let there = TwoProjects::new(app).await;
    let app = &there.world.app;
    let early = "2026-03-01T08:00:00Z";
    let review = json!({ "review": { "state": "dismissed" } });
    let to_site = |id: &str| json!({ "worksite": { "data": { "type": "worksites", "id": id } } });
    for role in [Role::Member, Role::Admin] {
        let caller = there.restricted(role).await;
        for (kind, id, attributes, relationships) in [
            ("people", "2", json!({ "name": "Olga O" }), json!({})),
            ("people", "2", json!({ "archived": true }), json!({})),
            ("people", "6", json!({ "archived": true, "name": "Victor" }), json!({})),
            ("tags", "2", json!({ "retired": true }), json!({})),
            ("tags", "2", json!({ "role": "operator" }), json!({})),
            ("machines", "2", json!({ "name": "Mine now" }), to_site("1")),
            ("machines", "3", json!({ "archived": true }), json!({})),
            ("machines", "1", json!({ "effective_from": early }), to_site("2")),
            ("machines", "1", json!({ "effective_from": early }), json!({ "worksite": { "data": null } })),
            ("incursions", "4", review.clone(), json!({})),
            ("incursions", "7", review.clone(), json!({})),
        ] {
            let data =
                json!({ "type": kind, "id": id, "attributes": attributes, "relationships": relationships });
            let call = app.patch(&format!("/api/v2/{kind}/{id}")).bearer(&caller.account.jwt);
            let call = call.bytes("application/vnd.api+json", json!({ "data": data }).to_string());
            let reply = call.send().await;
            match reply.status.as_u16() {
                403 => assert_eq!(reply.code(), "restricted", "{data}"),
                status => assert_eq!(status, 404, "{data}"),
            }
            there.expect_unchanged(&data.to_string()).await;
        }
        let new = json!({ "type": "machines", "attributes": { "name": "New", "kind": "crane" }, "relationships": to_site("2") });
        let call = app.post("/api/v2/machines").bearer(&caller.account.jwt);
        let call = call.bytes("application/vnd.api+json", json!({ "data": new }).to_string());
        assert_eq!(call.send().await.expect(404).code(), "unknown_worksite");
        there.expect_unchanged("a machine at another's worksite").await;
    }
}

/// Related resources are shown only as far as they can be read by themselves.
async fn documents_show_nothing_outside(app: TestApp) {
    let there = TwoProjects::new(app).await;
    let member = there.restricted(Role::Member).await;
    let get = async |path: &str| {
        let call = there.world.app.get(&format!("/api/v2/{path}")).bearer(&member.account.jwt);
        call.header("accept", "application/vnd.api+json").send().await
    };
    let ids = |list: &Value| -> Vec<String> {
        let rows = list.as_array().unwrap().iter();
        rows.map(|row| row["id"].as_str().unwrap().to_owned()).collect()
    };
    for (kind, visible) in [
        ("machines", &["1"][..]),
        ("base_stations", &["1"]),
        ("visitor_sessions", &["1"]),
        ("worksites", &["1"]),
    ] {
        assert_eq!(ids(&get(kind).await.expect(200).json()["data"]), visible, "{kind}");
        let outside = get(&format!("{kind}?filter[id]=2,3")).await.expect(200).json();
        assert_eq!(outside["data"], json!([]), "{kind}");
        get(&format!("{kind}/2")).await.expect(404);
    }
    let include = "machine,base_station,tag,pedestrian,operator,worksite,project";
    let path = format!("incursions?filter[from]=2026-02-28&include={include}&page[total]=true");
    let document = get(&path).await.expect(200).json();
    let shown = document["data"].as_array().unwrap();
    assert!(!shown.is_empty() && document["meta"]["total"] == shown.len(), "{document}");
    for row in shown {
        assert_eq!(row["relationships"]["project"]["data"]["id"], "1");
    }
    for one in document["included"].as_array().unwrap() {
        let is_outside = ["machines", "base_stations", "worksites", "projects"]
            .contains(&one["type"].as_str().unwrap())
            && one["id"] != "1";
        assert!(!is_outside, "{one}");
    }
    for id in ["4", "5", "6", "7"] {
        get(&format!("incursions/{id}")).await.expect(404);
    }
    // When the tag of a person who belongs elsewhere was last seen is not shown, wherever the tag comes along.
    let olga = get("people/2?include=tags").await.expect(200).json();
    assert_eq!(olga["included"][0]["attributes"]["last_seen_at"], Value::Null);
    get("machines/2/tracks").await.expect(404);
    let positions = there.world.app.get("/api/v2/positions").bearer(&member.account.jwt).send().await;
    let positions = positions.expect(200).json();
    assert!(positions["features"].as_array().unwrap().iter().all(|point| point["id"] == 1), "{positions}");
}

async fn erasing_stays_within(app: TestApp) {
    let there = TwoProjects::new(app).await;
    let admin = there.restricted(Role::Admin).await;
    for id in [2, 3, 6] {
        let path = format!("people/{id}/erase");
        let refused = there.call(&admin, Method::POST, &path, &Value::Null).await.expect(403);
        assert_eq!(refused.code(), "restricted", "{id}");
    }
    there.expect_unchanged("erasing").await;
    for id in [1, 4, 5] {
        there.call(&admin, Method::POST, &format!("people/{id}/erase"), &Value::Null).await.expect(200);
    }
    there.expect_unchanged("erasing those within").await;
}
