//! Who sees site reports and names, and what becomes of them when access or people change.

use domain::{EmailAddress, ProjectId, Role};
use serde_json::json;
use testkit::{TestApp, on_both_engines};

use super::{fact, get, lively_site, post, sentences, write};

on_both_engines!(
    a_reader_sees_what_their_projects_cover,
    a_restricted_author_gets_their_own_projects,
    another_brand_sees_nothing,
    those_who_may_not_see_names_see_numbers,
    someone_who_is_erased_is_nameless_at_once,
    a_deactivated_author_gets_no_report,
);

async fn a_reader_sees_what_their_projects_cover(app: TestApp) {
    let yard = lively_site(app).await;
    let first = yard.restricted("first@example.com", Role::Member, &[1]).await;
    let second = yard.restricted("second@example.com", Role::Member, &[2]).await;
    let nobody = yard.restricted("nobody@example.com", Role::Member, &[]).await;
    post(&yard, &yard.admin, &json!({ "from": "2026-02-01", "to": "2026-03-01" }), "1").await.expect(201);
    // Until the facts are known, it covers everything that its author sees.
    get(&yard, &first, "/1").await.expect(404);
    yard.app.run_jobs().await;
    get(&yard, &first, "/1").await.expect(200);
    for user in [&second, &nobody] {
        get(&yard, user, "/1").await.expect(404);
        assert_eq!(get(&yard, user, "").await.expect(200).json()["data"], json!([]));
    }
}

async fn a_restricted_author_gets_their_own_projects(app: TestApp) {
    let yard = lively_site(app).await;
    let second = yard.restricted("second@example.com", Role::Member, &[2]).await;
    post(&yard, &second, &json!({}), "1").await.expect(404);
    let first = yard.restricted("first@example.com", Role::Member, &[1]).await;
    let report = write(&yard, &first, "en").await;
    assert_eq!(fact(&report, "incursions")["value"], 57);
    // Someone who lost the project does not see their own report any more.
    let email = EmailAddress::parse("first@example.com").unwrap();
    yard.app.app.restrict_user(&email, Some(&[ProjectId(2)])).await.unwrap();
    get(&yard, &first, "/1").await.expect(404);
    get(&yard, &yard.admin, "/1").await.expect(200);
}

async fn another_brand_sees_nothing(app: TestApp) {
    let yard = lively_site(app).await;
    write(&yard, &yard.admin, "en").await;
    let other = yard.app.sign_in_new_user_in_brand("Other", "other@example.com", Role::Admin).await;
    get(&yard, &other, "/1").await.expect(404);
    assert_eq!(get(&yard, &other, "").await.expect(200).json()["data"], json!([]));
    post(&yard, &other, &json!({}), "1").await.expect(404);
}

async fn those_who_may_not_see_names_see_numbers(app: TestApp) {
    let yard = lively_site(app).await;
    let viewer = yard.app.sign_in_new_user("viewer@example.com", Role::Viewer).await;
    let written = write(&yard, &yard.admin, "en").await;
    assert!(sentences(&written, "finding").contains(&"Crane 1 and Ada came close 38 times on 19 days."));
    let seen = get(&yard, &viewer, "/1").await.expect(200);
    assert!(!seen.text().contains("Ada") && !seen.text().contains("Bob"), "{}", seen.text());
    let seen = seen.json();
    let seen = &seen["data"]["attributes"];
    assert!(sentences(seen, "finding").contains(&"Crane 1 and Person 1 came close 38 times on 19 days."));
    assert_eq!(fact(seen, "repeated_pair")["subjects"][1]["name"], "Person 1");
    // Viewers have reports written, too.
    let own = write(&yard, &viewer, "en").await;
    assert!(
        sentences(&own, "recommendation").contains(&"Plan separate working areas for Crane 1 and Person 1.")
    );
}

async fn someone_who_is_erased_is_nameless_at_once(app: TestApp) {
    let yard = lively_site(app).await;
    write(&yard, &yard.admin, "en").await;
    yard.app.post("/api/v1/people/1/erase").cookie(&yard.admin.cookie).send().await.expect(200);
    let after = get(&yard, &yard.admin, "/1").await.expect(200);
    assert!(!after.text().contains("Ada"), "{}", after.text());
    assert!(after.text().contains("Crane 1 and Person 1 came close 38 times"), "{}", after.text());
    let stored = testkit::query_raw_sql(yard.app.database(), "select sentences from site_reports").await;
    assert!(stored[0].contains("{pedestrian:1}") && !stored[0].contains("Ada"), "{stored:?}");
    yard.app.run_jobs().await;
}

async fn a_deactivated_author_gets_no_report(app: TestApp) {
    let yard = lively_site(app).await;
    let member = yard.app.sign_in_new_user("member@example.com", Role::Member).await;
    post(&yard, &member, &json!({}), "1").await.expect(201);
    let path = "/api/v1/admin/users/2/deactivate";
    yard.app.post(path).cookie(&yard.admin.cookie).send().await.expect(200);
    yard.app.run_jobs().await;
    let failed = get(&yard, &yard.admin, "/1").await.expect(200).json();
    let failed = &failed["data"]["attributes"];
    assert_eq!((&failed["state"], &failed["reason"]), (&json!("failed"), &json!("user_deactivated")));
}
