//! Errors as pages

use domain::{Role, Span};
use testkit::{Engine, TestApp, on_both_engines};

use crate::console::{Page, open, submit};

on_both_engines!(
    what_does_not_exist_is_a_page_for_people_and_a_problem_for_programs,
    refusals_say_why_and_lead_on,
    a_limit_says_how_long_to_wait,
    pages_that_read_much_count_as_analytics,
);

async fn what_does_not_exist_is_a_page_for_people_and_a_problem_for_programs(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Viewer).await;
    let program = app.get("/nothing/here").send().await.expect(404);
    assert_eq!(program.header("content-type"), "application/problem+json");
    let stranger = open(&app, "", "/nothing/here").await.expect(404);
    assert!(stranger.says("There is nothing here") && stranger.links().contains(&"/".to_owned()));
    // Who is signed in keeps the navigation.
    let page = open(&app, &ada.cookie, "/nothing/here").await.expect(404);
    assert!(page.links().contains(&"/machines".to_owned()), "{:?}", page.links());
    let call = app.get("/nothing/here").header("accept", "text/html").header("accept-language", "de");
    assert!(Page { reply: call.send().await }.expect(404).says("Hier ist nichts"));
}

async fn refusals_say_why_and_lead_on(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Viewer).await;
    let forbidden = open(&app, &ada.cookie, "/settings/tester-devices").await.expect(403);
    assert!(forbidden.says("You may not do this"), "{}", forbidden.text());
    let wrong = open(&app, &ada.cookie, "/settings/tags?colour=red").await.expect(400);
    assert!(wrong.says("colour") && wrong.links().contains(&"/settings/tags".to_owned()));
    let unusual = open(&app, &ada.cookie, "/sign-out").await.expect(405);
    assert!(unusual.says("The address belongs to a form"), "{}", unusual.text());
    // Back leads to the page that the reader came from, if it is one of ours.
    for (from, is_offered) in [("http://127.0.0.1:8080/people?q=a", true), ("http://evil.example/x", false)] {
        let call = app.get("/nothing/here").cookie(&ada.cookie).header("accept", "text/html");
        let page = Page { reply: call.header("referer", from).send().await }.expect(404);
        assert_eq!(page.links().contains(&"/people?q=a".to_owned()), is_offered, "{from}");
        assert!(page.links().iter().all(|link| !link.contains("evil")), "{:?}", page.links());
    }
}

async fn a_limit_says_how_long_to_wait(engine: Engine) {
    let app = TestApp::start_with(engine, |config| config.limits.login_per_minute = web::Quota(3)).await;
    let fields = [("email", "ada@example.com"), ("password", "")];
    for _ in 0..3 {
        submit(&app, "", "/sign-in", &fields).await.expect(422);
    }
    let page = submit(&app, "", "/sign-in", &fields).await.expect(429);
    assert_eq!(page.reply.header("retry-after"), "20");
    assert!(page.says("Please wait 20 seconds"), "{}", page.text());
}

async fn pages_that_read_much_count_as_analytics(engine: Engine) {
    let app = TestApp::start_with(engine, |config| config.limits.analytics_per_minute = web::Quota(1)).await;
    let ada = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let open_as_ada = |path: &'static str| open(&app, &ada.cookie, path);
    let sorted = open_as_ada("/incursions?sort=-duration_ms").await.expect(200);
    assert_eq!(sorted.reply.header("ratelimit-policy"), "\"analytics\";q=1;w=60");
    for path in ["/incursions?format=csv", "/incursions/1?sort=ack_ms", "/sites/1", "/explore"] {
        open_as_ada(path).await.expect(429);
    }
    for path in ["/incursions?sort=started_at", "/sites", "/explore/exports"] {
        let policy = open_as_ada(path).await.expect(200).reply.header("ratelimit-policy").to_owned();
        assert!(policy.starts_with("\"read\""), "{path}: {policy}");
    }
    // A player asks for many parts of a clip.
    for path in ["/incursions/1", "/machines/1/clips/1/video"] {
        open_as_ada(path).await.expect(404);
    }
}

#[test]
fn a_fault_of_the_service_names_its_request() {
    testkit::run(Engine::Sqlite, |app: TestApp| async move {
        let ada = app.sign_in_new_user("ada@example.com", Role::Viewer).await;
        app.app.store.close().await;
        app.clock.advance(Span::minutes(2));
        let page = open(&app, &ada.cookie, "/settings").await.expect(503);
        let id = page.reply.header("x-request-id").to_owned();
        assert!(!id.is_empty() && page.says(&id), "{}", page.text());
        assert!(page.links().contains(&"/settings".to_owned()), "{:?}", page.links());
        // Signing in is shown, and cannot work.
        open(&app, "", "/sign-in").await.expect(200);
        let fields = [("email", "ada@example.com"), ("password", testkit::PASSWORD)];
        submit(&app, "", "/sign-in", &fields).await.expect(503);
    });
}
