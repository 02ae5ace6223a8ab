//! GET /api/v1/admin/users

use domain::Role;
use testkit::{TestApp, on_both_engines};

on_both_engines!(
    admins_page_through_their_own_users,
    roles_below_admin_are_refused,
    bad_parameters_are_named
);

async fn admins_page_through_their_own_users(app: TestApp) {
    let admin = app.sign_in_new_user("zoe@example.com", Role::Admin).await;
    for name in ["ada", "bob", "Álvaro"] {
        app.create_user(&format!("{name}@example.com"), Role::Viewer).await;
    }
    let other = app.ensure_brand("Other").await;
    let stranger = app::NewAccount {
        email: domain::EmailAddress::parse("eve@elsewhere.example").unwrap(),
        name: domain::Name::parse("Eve").unwrap(),
        role: Role::Admin,
        password: testkit::PASSWORD.to_owned(),
        password_lifetime: app::PasswordLifetime::Permanent,
    };
    app.app.create_user(&other, &stranger).await.unwrap();

    let (mut names, mut cursor) = (Vec::new(), String::new());
    loop {
        let path = format!("/api/v1/admin/users?limit=3&include_total=true{cursor}");
        let body = app.get(&path).cookie(&admin.cookie).send().await.expect(200).json();
        assert_eq!(body["page"]["total"], 4);
        let rows = body["data"].as_array().unwrap().iter();
        names.extend(rows.map(|user| user["name"].as_str().unwrap().to_owned()));
        match body["page"]["next"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => break,
        }
    }
    assert_eq!(names, ["ada", "Álvaro", "bob", "zoe"]);
    let body = app.get("/api/v1/admin/users").cookie(&admin.cookie).send().await.expect(200).json();
    assert_eq!(body["page"], serde_json::json!({ "limit": 50, "next": null }));
    assert_eq!(body["data"][3]["last_login_at"], "2026-03-01T12:00:30Z");
    assert!(body["data"][0]["last_login_at"].is_null());
}

async fn roles_below_admin_are_refused(app: TestApp) {
    for (email, role) in [("v@example.com", Role::Viewer), ("m@example.com", Role::Member)] {
        let user = app.sign_in_new_user(email, role).await;
        // The permission is checked before the query.
        let reply = app.get("/api/v1/admin/users?nonsense=1").cookie(&user.cookie).send().await.expect(403);
        assert_eq!(reply.code(), "permission_missing");
        assert!(reply.json()["detail"].as_str().unwrap().contains("manage_users"));
    }
    // A change of role applies to open sessions.
    let user = app.sign_in_new_user("x@example.com", Role::Admin).await;
    app.get("/api/v1/admin/users").cookie(&user.cookie).send().await.expect(200);
    let email = domain::EmailAddress::parse(&user.email).unwrap();
    app.app.set_access(&email, Some(Role::Member), None).await.unwrap();
    app.get("/api/v1/admin/users").cookie(&user.cookie).send().await.expect(403);
}

async fn bad_parameters_are_named(app: TestApp) {
    let admin = app.sign_in_new_user("zoe@example.com", Role::Admin).await;
    for (query, field, code) in [
        ("limit=0", "limit", "out_of_range"),
        ("limit=501", "limit", "out_of_range"),
        ("limit=ten", "limit", "out_of_range"),
        ("limit=1&limit=2", "limit", "repeated_parameter"),
        ("cursor=nonsense", "cursor", "invalid_cursor"),
        ("cursor=%00", "cursor", "control_character"),
        ("include_total=yes", "include_total", "invalid_flag"),
        ("offset=10", "offset", "unknown_parameter"),
    ] {
        let path = format!("/api/v1/admin/users?{query}");
        let body = app.get(&path).cookie(&admin.cookie).send().await.expect(400).json();
        assert_eq!((&body["errors"][0]["field"], &body["code"]), (&field.into(), &code.into()), "{query}");
    }
}
