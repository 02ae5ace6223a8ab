//! /settings/users

use domain::{EmailAddress, ProjectId, Role, Span};
use serde_json::{Value, json};
use testkit::{Engine, PASSWORD, TestApp, on_both_engines};

use super::done;
use crate::console::{open, submit};

on_both_engines!(
    a_user_is_invited_and_invited_again,
    a_user_is_changed_deactivated_and_reactivated,
    sessions_and_second_factors_are_ended,
    faults_are_shown_beside_their_fields,
    a_form_that_is_sent_twice_invites_once_and_a_stale_one_changes_nothing,
    the_last_admin_stays_one,
    nobody_grants_more_than_they_have,
    users_of_others_do_not_exist,
    names_are_never_markup,
    what_gives_access_asks_for_proof_in_place,
);

const PATH: &str = "/settings/users";

async fn read_user(app: &TestApp, cookie: &str, id: i64) -> Value {
    app.get(&format!("/api/v1/admin/users/{id}")).cookie(cookie).send().await.expect(200).json()
}

async fn add_project(app: &TestApp, cookie: &str, name: &str) {
    app.post("/api/v1/projects").cookie(cookie).json(&json!({ "name": name })).send().await.expect(201);
}

async fn a_user_is_invited_and_invited_again(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    add_project(&app, &admin.cookie, "Bridge").await;
    let page = open(&app, &admin.cookie, PATH).await.expect(200);
    assert!(page.says("Only the projects that are ticked below") && page.says("Bridge") && page.says("ada"));
    let fields = [
        ("email", "grace@example.com"),
        ("name", "Grace"),
        ("role", "member"),
        ("access", "some"),
        ("project_ids", "1"),
    ];
    let made = submit(&app, &admin.cookie, PATH, &fields).await.expect(303);
    assert_eq!((made.location().as_str(), done(&made).as_str()), ("/settings/users/2", "user-invited"));
    let user = read_user(&app, &admin.cookie, 2).await;
    assert_eq!((&user["state"], &user["role"]), (&json!("invited"), &json!("member")));
    assert_eq!(user["project_ids"], json!([1]));
    let page = open(&app, &admin.cookie, "/settings/users/2").await.expect(200);
    assert!(page.says("Invited") && page.says("grace@example.com") && page.says("Send the invitation again"));
    assert!(!page.says("End all sessions"));
    assert_eq!(
        (page.field("access").as_deref(), page.field("project_ids").as_deref()),
        (Some("some"), Some("1"))
    );
    let again = submit(&app, &admin.cookie, "/settings/users/2/resend-invitation", &[]).await.expect(303);
    assert_eq!(done(&again), "user-invited-again:2");
    app.run_jobs().await;
    let mails = app.mails();
    assert!(mails.iter().any(|mail| format!("{mail:?}").contains("grace@example.com")), "{mails:?}");
    // Who is active already cannot be invited again: the page says why.
    let refused = submit(&app, &admin.cookie, "/settings/users/1/resend-invitation", &[]).await.expect(409);
    assert!(refused.says("There is no invitation to send again."));
    assert_eq!(refused.field("name").as_deref(), Some("ada"));
}

async fn a_user_is_changed_deactivated_and_reactivated(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let bob = app.sign_in_new_user("bob@example.com", Role::Viewer).await;
    add_project(&app, &admin.cookie, "Bridge").await;
    let path = format!("{PATH}/2");
    let page = open(&app, &admin.cookie, &path).await.expect(200);
    let version = page.field("_version").unwrap();
    let fields = [
        ("name", "Bob the builder"),
        ("role", "member"),
        ("access", "some"),
        ("project_ids", "1"),
        ("_version", version.as_str()),
    ];
    let saved = submit(&app, &admin.cookie, &path, &fields).await.expect(303);
    assert_eq!((saved.location(), done(&saved).as_str()), (path.clone(), "user-saved"));
    let user = read_user(&app, &admin.cookie, 2).await;
    assert_eq!((&user["name"], &user["role"]), (&json!("Bob the builder"), &json!("member")));
    assert_eq!(user["project_ids"], json!([1]));
    // An archived project stays ticked, so that saving the form takes nothing away.
    let archived = json!({ "archived": true });
    app.patch("/api/v1/projects/1").cookie(&admin.cookie).json(&archived).send().await.expect(200);
    assert_eq!(open(&app, &admin.cookie, &path).await.expect(200).field("project_ids").as_deref(), Some("1"));
    let gone = submit(&app, &admin.cookie, &format!("{path}/deactivate"), &[]).await.expect(303);
    assert_eq!(done(&gone), "user-deactivated:2");
    app.get("/api/v1/session").cookie(&bob.cookie).send().await.expect(401);
    let page = open(&app, &admin.cookie, &path).await.expect(200);
    assert!(page.says("Deactivated") && page.says("Reactivate the user") && !page.says("End all sessions"));
    let back = submit(&app, &admin.cookie, &format!("{path}/reactivate"), &[]).await.expect(303);
    assert_eq!(done(&back), "user-reactivated:2");
    assert_eq!(read_user(&app, &admin.cookie, 2).await["state"], "active");
    let filtered = open(&app, &admin.cookie, &format!("{PATH}?role=member&state=active&q=BUILDER")).await;
    assert!(filtered.expect(200).says("1 row"));
    let csv = app.get(&format!("{PATH}?format=csv")).cookie(&admin.cookie).send().await.expect(200);
    assert!(csv.header("content-type").starts_with("text/csv") && csv.text().contains("bob@example.com"));
}

async fn sessions_and_second_factors_are_ended(app: TestApp) {
    app.allow_leftover_jobs();
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let bob = app.sign_in_new_user("bob@example.com", Role::Viewer).await;
    let factor = "/api/v1/session/second_factor";
    let begun = app.post(factor).cookie(&bob.cookie).send().await.expect(201).json();
    let otp = json!({ "otp": app.otp(begun["secret"].as_str().unwrap()) });
    app.post(&format!("{factor}/confirm")).cookie(&bob.cookie).json(&otp).send().await.expect(200);
    let page = open(&app, &admin.cookie, "/settings/users/2").await.expect(200);
    assert!(page.says("Remove the second factor"));
    let reset = submit(&app, &admin.cookie, "/settings/users/2/reset-second-factor", &[]).await.expect(303);
    assert_eq!(done(&reset), "user-factor-reset:2");
    assert_eq!(read_user(&app, &admin.cookie, 2).await["second_factor"], false);
    assert!(
        !open(&app, &admin.cookie, "/settings/users/2").await.expect(200).says("Remove the second factor")
    );
    let cookie = app.log_in_v1(&bob.email, PASSWORD).await.expect(201).session_cookie();
    let ended = submit(&app, &admin.cookie, "/settings/users/2/end-sessions", &[]).await.expect(303);
    assert_eq!(done(&ended), "user-sessions-ended:2");
    app.get("/api/v1/session").cookie(&cookie).send().await.expect(401);
    app.log_in_v1(&bob.email, PASSWORD).await.expect(201);
}

async fn faults_are_shown_beside_their_fields(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    add_project(&app, &admin.cookie, "Bridge").await;
    let fields =
        [("email", "nobody"), ("name", ""), ("role", "member"), ("access", "all"), ("project_ids", "1")];
    let page = submit(&app, &admin.cookie, PATH, &fields).await.expect(422);
    for name in ["email", "name", "project_ids"] {
        assert!(page.fault(name).is_some(), "{name}");
    }
    assert_eq!(
        (page.field("email").as_deref(), page.field("project_ids").as_deref()),
        (Some("nobody"), Some("1"))
    );
    let taken = [("email", "ADA@example.com"), ("name", "Ada"), ("role", "viewer"), ("access", "all")];
    let page = submit(&app, &admin.cookie, PATH, &taken).await.expect(422);
    assert_eq!(page.fault("email").as_deref(), Some("There is already an account with this email address."));
    let fields = [("name", "Ada"), ("role", "admin"), ("access", "some"), ("project_ids", "99")];
    let page = submit(&app, &admin.cookie, &format!("{PATH}/1"), &fields).await;
    assert!(matches!(page.reply.status.as_u16(), 409 | 422), "{}", page.reply.status);
    assert_eq!(read_user(&app, &admin.cookie, 1).await["project_ids"], Value::Null);
    let german = json!({ "locale": "de" });
    app.patch("/api/v1/admin/brand").cookie(&admin.cookie).json(&german).send().await.expect(200);
    let page = submit(&app, &admin.cookie, PATH, &taken).await.expect(422);
    assert_eq!(page.fault("email").as_deref(), Some("Mit dieser E-Mail-Adresse gibt es schon ein Konto."));
}

async fn a_form_that_is_sent_twice_invites_once_and_a_stale_one_changes_nothing(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let once = open(&app, &admin.cookie, PATH).await.expect(200).field("_once").unwrap();
    let fields = [
        ("email", "grace@example.com"),
        ("name", "Grace"),
        ("role", "viewer"),
        ("access", "all"),
        ("_once", once.as_str()),
    ];
    let first = submit(&app, &admin.cookie, PATH, &fields).await.expect(303).location();
    assert_eq!(submit(&app, &admin.cookie, PATH, &fields).await.expect(303).location(), first);
    app.run_jobs().await;
    assert!(open(&app, &admin.cookie, PATH).await.expect(200).says("2 rows"));
    let version = open(&app, &admin.cookie, &first).await.expect(200).field("_version").unwrap();
    let change = async |name: &str| {
        let fields = [("name", name), ("role", "viewer"), ("access", "all"), ("_version", version.as_str())];
        submit(&app, &admin.cookie, &first, &fields).await
    };
    change("Grace A").await.expect(303);
    let refused = change("Grace B").await.expect(412);
    assert_eq!(refused.field("name").as_deref(), Some("Grace B"));
    assert_eq!(read_user(&app, &admin.cookie, 2).await["name"], "Grace A");
}

async fn the_last_admin_stays_one(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let own = format!("{PATH}/1");
    let page = open(&app, &admin.cookie, &own).await.expect(200);
    assert!(page.says("This is your own account.") && !page.says("Deactivate the user"));
    let refused = submit(&app, &admin.cookie, &format!("{own}/deactivate"), &[]).await.expect(409);
    assert!(refused.says("This is the last administrator who can sign in."));
    let fields = [("name", "Ada"), ("role", "viewer"), ("access", "all")];
    let refused = submit(&app, &admin.cookie, &own, &fields).await.expect(409);
    assert!(refused.says("This is the last administrator who can sign in."));
    assert_eq!(refused.field("role").as_deref(), Some("viewer"));
    assert_eq!(read_user(&app, &admin.cookie, 1).await["role"], "admin");
}

async fn nobody_grants_more_than_they_have(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let viewer = app.sign_in_new_user("vic@example.com", Role::Viewer).await;
    let bob = app.sign_in_new_user("bob@example.com", Role::Admin).await;
    for name in ["North", "South"] {
        add_project(&app, &admin.cookie, name).await;
    }
    app.app.restrict_user(&EmailAddress::parse(&bob.email).unwrap(), Some(&[ProjectId(1)])).await.unwrap();
    let page = open(&app, &bob.cookie, PATH).await.expect(200);
    assert!(
        page.says("North")
            && !page.says("South")
            && !page.says("All projects")
            && !page.says("vic@example.com")
    );
    assert_eq!(page.field("access").as_deref(), Some("some"));
    for (access, project) in [("all", ""), ("some", "2")] {
        let fields = [
            ("email", "grace@example.com"),
            ("name", "Grace"),
            ("role", "viewer"),
            ("access", access),
            ("project_ids", project),
        ];
        submit(&app, &bob.cookie, PATH, &fields).await.expect(403);
    }
    open(&app, &bob.cookie, &format!("{PATH}/2")).await.expect(404);
    submit(&app, &bob.cookie, &format!("{PATH}/2/deactivate"), &[]).await.expect(404);
    open(&app, &viewer.cookie, PATH).await.expect(403);
    submit(&app, &viewer.cookie, &format!("{PATH}/2/end-sessions"), &[]).await.expect(403);
}

async fn users_of_others_do_not_exist(app: TestApp) {
    app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let theirs = app.sign_in_new_user_in_brand("Other", "eve@example.com", Role::Admin).await;
    open(&app, &theirs.cookie, &format!("{PATH}/1")).await.expect(404);
    let buttons =
        ["", "/deactivate", "/reactivate", "/end-sessions", "/reset-second-factor", "/resend-invitation"];
    for button in buttons {
        submit(&app, &theirs.cookie, &format!("{PATH}/1{button}"), &[("name", "x")]).await.expect(404);
    }
    assert!(!open(&app, &theirs.cookie, PATH).await.expect(200).says("ada@example.com"));
}

async fn names_are_never_markup(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    for name in ["<script>alert(1)</script>", "\"><img src=x onerror=y>", "' onload='z"] {
        add_project(&app, &admin.cookie, name).await;
        let fields = [("name", name), ("role", "admin"), ("access", "all")];
        submit(&app, &admin.cookie, &format!("{PATH}/1"), &fields).await.expect(303);
        let page = open(&app, &admin.cookie, &format!("{PATH}/1")).await.expect(200);
        assert_eq!(page.field("name").as_deref(), Some(name));
        open(&app, &admin.cookie, PATH).await.expect(200);
    }
}

async fn what_gives_access_asks_for_proof_in_place(engine: Engine) {
    let app = TestApp::start_with(engine, |config| config.auth.proof_max_age_minutes = 15).await;
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    app.sign_in_new_user("bob@example.com", Role::Viewer).await;
    app.clock.advance(Span::minutes(16));
    let asks = |html: String| html.contains("name=\"_password\"");
    assert!(asks(open(&app, &admin.cookie, PATH).await.expect(200).reply.text()));
    let fields = [("name", "Bob"), ("role", "admin"), ("access", "all")];
    let path = format!("{PATH}/2");
    let asked = submit(&app, &admin.cookie, &path, &fields).await.expect(200);
    // The form is carried along.
    assert!(asks(asked.reply.text()));
    assert_eq!(
        (asked.field("role").as_deref(), asked.field("access").as_deref()),
        (Some("admin"), Some("all"))
    );
    let asked =
        submit(&app, &admin.cookie, &format!("{path}/deactivate"), &[("_password", "wrong one")]).await;
    assert!(asks(asked.expect(403).reply.text()));
    let unchanged = read_user(&app, &admin.cookie, 2).await;
    assert_eq!((&unchanged["role"], &unchanged["state"]), (&json!("viewer"), &json!("active")));
    let proven = [("name", "Bob"), ("role", "member"), ("access", "all"), ("_password", PASSWORD)];
    let saved = submit(&app, &admin.cookie, &path, &proven).await.expect(303);
    let mut cookies =
        saved.reply.headers.get_all("set-cookie").iter().filter_map(|value| value.to_str().ok());
    assert!(cookies.any(|cookie| cookie.starts_with(web::SESSION_COOKIE)), "a new session cookie");
}
