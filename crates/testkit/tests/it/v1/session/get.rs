//! GET /api/v1/session

use domain::{Role, Span};
use serde_json::json;
use testkit::{TestApp, on_both_engines};

on_both_engines!(
    an_idle_session_ends,
    an_open_page_does_not_keep_a_session_alive,
    an_open_page_learns_whose_session_there_is,
    a_session_ends_after_its_lifetime_however_busy,
    use_keeps_a_session_alive,
    what_is_no_session_is_refused,
    a_restricted_user_sees_their_projects
);

async fn an_idle_session_ends(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Viewer).await;
    app.clock.advance(Span::minutes(479));
    app.get("/api/v1/session").cookie(&ada.cookie).send().await.expect(200);
    app.clock.advance(Span::minutes(480));
    let reply = app.get("/api/v1/session").cookie(&ada.cookie).send().await.expect(401);
    assert_eq!(reply.code(), "credentials_expired");
}

async fn an_open_page_does_not_keep_a_session_alive(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Viewer).await;
    let page = |destination: &'static str| {
        let request = app.get("/").cookie(&ada.cookie).header("accept", "text/html");
        request.header("sec-fetch-dest", destination).send()
    };
    // Over plain http, browsers do not say what they fetch, and no script can say it of an image.
    let image = || {
        let request = app.get("/").cookie(&ada.cookie);
        request.header("accept", "image/avif,image/webp,image/svg+xml,*/*;q=0.8").send()
    };
    // Asked every minute.
    let check = || {
        let request = app.get("/sign-in/session").cookie(&ada.cookie).header("accept", "application/json");
        request.header("keepclear-open-page", "1").send()
    };
    // What the page fetches by itself in between hides no click of its reader.
    for _ in 0..4 {
        app.clock.advance(Span::minutes(240));
        page("empty").await.expect(200);
        page("document").await.expect(200);
    }
    for _ in 0..7 {
        app.clock.advance(Span::minutes(60));
        page("empty").await.expect(200);
        page("image").await.expect(200);
        image().await.expect(200);
        check().await.expect(200);
    }
    app.clock.advance(Span::minutes(60));
    check().await.expect(401);
    let gone = page("empty").await;
    assert!(gone.header("location").starts_with("/sign-in"), "{}", gone.text());
}

async fn an_open_page_learns_whose_session_there_is(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Viewer).await;
    let bob = app.sign_in_new_user("bob@example.com", Role::Admin).await;
    let check = |cookie: &str, accept: &'static str| {
        app.get("/sign-in/session").cookie(cookie).header("accept", accept).send()
    };
    for account in [&ada, &bob] {
        let who = app.get("/api/v1/session").cookie(&account.cookie).send().await.expect(200).json();
        let reply = check(&account.cookie, "application/json").await.expect(200);
        assert_eq!(reply.json(), json!({ "user_id": who["user"]["id"] }));
        assert_eq!(reply.header("cache-control"), "no-store");
    }
    check("nonsense", "application/json").await.expect(401);
    // A window that another site opens leaves the page of that site in both cases.
    check(&ada.cookie, "text/html").await.expect(200);
    let asked = check("nonsense", "text/html").await.expect(303);
    assert!(asked.header("location").starts_with("/sign-in"));
    let next = app.get("/sign-in?next=/sign-in/session").cookie(&ada.cookie).header("accept", "text/html");
    assert_eq!(next.send().await.expect(303).header("location"), "/");
}

async fn a_session_ends_after_its_lifetime_however_busy(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Viewer).await;
    for _ in 0..(168 * 60 / 60 - 1) {
        app.clock.advance(Span::minutes(60));
        app.get("/api/v1/session").cookie(&ada.cookie).send().await.expect(200);
    }
    app.clock.advance(Span::minutes(60));
    app.get("/api/v1/session").cookie(&ada.cookie).send().await.expect(401);
}

async fn use_keeps_a_session_alive(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Viewer).await;
    let other = app.second_instance().await;
    // Used alternately by two processes: neither considers it idle.
    for turn in 0..6 {
        app.clock.advance(Span::minutes(300));
        let place = if turn % 2 == 0 { &app } else { &other };
        place.get("/api/v1/session").cookie(&ada.cookie).send().await.expect(200);
    }
}

async fn what_is_no_session_is_refused(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Viewer).await;
    let tester = app.issue_token("Acme", domain::DeviceKind::Tester, "Gate 1").await;
    let reply = app.get("/api/v1/session").send().await.expect(401);
    assert_eq!(reply.code(), "credentials_missing");
    assert_eq!(reply.header("www-authenticate"), "Session realm=\"keepclear\"");
    for request in [
        app.get("/api/v1/session").cookie("nonsense"),
        app.get("/api/v1/session").cookie(&ada.jwt),
        app.get("/api/v1/session").cookie(&format!("{}x", ada.cookie)),
        app.get("/api/v1/session").bearer(&ada.jwt),
        app.get("/api/v1/session").bearer(&tester),
        app.get("/api/v1/session").bearer(&ada.cookie),
        app.get("/api/v1/session").header("authorization", "Basic YWRhOnNlY3JldA=="),
    ] {
        let reply = request.send().await.expect(401);
        assert_eq!(reply.header("www-authenticate"), "Session realm=\"keepclear\"");
        assert_eq!(reply.header("content-type"), "application/problem+json");
    }
}

async fn a_restricted_user_sees_their_projects(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Member).await;
    let email = domain::EmailAddress::parse(&ada.email).unwrap();
    let who = app.get("/api/v1/session").cookie(&ada.cookie).send().await.expect(200).json();
    assert!(who["user"]["project_ids"].is_null());
    app.ensure_brand("Other").await;
    let projects = "insert into projects (brand_id, name, name_key, version, created_at, updated_at)
        values (1, 'Bridge', 'bridge', 1, 1, 1), (1, 'Tunnel', 'tunnel', 1, 1, 1), (2, 'Not ours', 'not ours', 1, 1, 1)";
    testkit::execute_raw_sql(app.database(), projects).await.unwrap();
    let ids = |ids: &[i64]| ids.iter().copied().map(domain::ProjectId).collect::<Vec<_>>();
    // A project of another brand is refused, and nothing changes.
    for foreign in [3, 99] {
        let refused = app.app.restrict_user(&email, Some(&ids(&[1, foreign]))).await.unwrap_err();
        assert_eq!(refused.fields[0].invalid.code, "unknown_project");
    }
    let who = app.get("/api/v1/session").cookie(&ada.cookie).send().await.expect(200).json();
    assert!(who["user"]["project_ids"].is_null());
    // The restriction applies to open sessions immediately.
    for (given, seen) in [(&[2, 1][..], json!([1, 2])), (&[1, 1], json!([1])), (&[], json!([]))] {
        app.app.restrict_user(&email, Some(&ids(given))).await.unwrap();
        let who = app.get("/api/v1/session").cookie(&ada.cookie).send().await.expect(200).json();
        assert_eq!(who["user"]["project_ids"], seen);
    }
    app.app.restrict_user(&email, None).await.unwrap();
    let who = app.get("/api/v2/session").bearer(&ada.jwt).send().await.expect(200).json();
    assert!(who["user"]["project_ids"].is_null());
}
