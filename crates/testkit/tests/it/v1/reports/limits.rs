//! How many reports may be unfinished.

use domain::Role;
use serde_json::json;
use testkit::{TestApp, on_both_engines};
use tokio::task::JoinSet;

use super::{PATH, busy_yard, create_ready_report, delete, incursions_body, post, remake};

on_both_engines!(
    one_user_has_only_so_many_made_at_once,
    requests_at_once_do_not_exceed_the_limit,
    remakes_count_for_whoever_asks_for_them,
    a_brand_has_only_so_many_made_at_once,
);

async fn one_user_has_only_so_many_made_at_once(app: TestApp) {
    let yard = busy_yard(app).await;
    let other = yard.app.sign_in_new_user("other@example.com", Role::Member).await;
    for _ in 0..20 {
        post(&yard, &yard.admin, &incursions_body("csv")).await.expect(201);
    }
    let refused = post(&yard, &yard.admin, &incursions_body("csv")).await.expect(409);
    assert_eq!(refused.code(), "too_many_reports");
    post(&yard, &other, &incursions_body("csv")).await.expect(201);
    delete(&yard, &yard.admin, &json!(1)).await.expect(200);
    post(&yard, &yard.admin, &incursions_body("csv")).await.expect(201);
    assert_eq!(yard.app.run_jobs().await, 22);
    post(&yard, &yard.admin, &incursions_body("csv")).await.expect(201);
    yard.app.run_jobs().await;
}

async fn requests_at_once_do_not_exceed_the_limit(app: TestApp) {
    let yard = busy_yard(app).await;
    let other = yard.app.second_instance().await;
    let mut work = JoinSet::new();
    for number in 0..30 {
        let place = if number % 2 == 0 { &yard.app } else { &other };
        work.spawn(place.post(PATH).cookie(&yard.admin.cookie).json(&incursions_body("csv")).send());
    }
    let replies = work.join_all().await;
    let created = replies.iter().filter(|reply| reply.status == 201).count();
    let refused = replies.iter().filter(|reply| reply.status == 409).count();
    assert_eq!((created, refused), (20, 10));
    assert_eq!(yard.app.run_jobs().await, 20);
}

async fn remakes_count_for_whoever_asks_for_them(app: TestApp) {
    let yard = busy_yard(app).await;
    let author = yard.app.sign_in_new_user("author@example.com", Role::Member).await;
    for _ in 0..20 {
        post(&yard, &author, &incursions_body("csv")).await.expect(201);
    }
    yard.app.run_jobs().await;
    create_ready_report(&yard, &author, &incursions_body("csv")).await;
    for id in 1..=20 {
        remake(&yard, &yard.admin, &json!(id)).await.expect(200);
    }
    assert_eq!(remake(&yard, &yard.admin, &json!(21)).await.expect(409).code(), "too_many_reports");
    let refused = post(&yard, &yard.admin, &incursions_body("csv")).await.expect(409);
    assert_eq!(refused.code(), "too_many_reports");
    // One that is being made anyway needs no place.
    remake(&yard, &yard.admin, &json!(20)).await.expect(200);
    // The limit of the author is their own.
    remake(&yard, &author, &json!(21)).await.expect(200);
    post(&yard, &author, &incursions_body("csv")).await.expect(201);
    assert_eq!(yard.app.run_jobs().await, 22);
    remake(&yard, &yard.admin, &json!(21)).await.expect(200);
    yard.app.run_jobs().await;
}

async fn a_brand_has_only_so_many_made_at_once(app: TestApp) {
    let yard = busy_yard(app).await;
    let other = yard.app.sign_in_new_user("other@example.com", Role::Member).await;
    let ready = &create_ready_report(&yard, &yard.admin, &incursions_body("csv")).await["id"];
    post(&yard, &other, &incursions_body("csv")).await.expect(201);
    // With this one and its copies, two hundred are unfinished.
    let copies = "insert into reports (brand_id, author_id, requester_id, kind, format, request, from_cut, to_cut, state, percent,
             generation, all_projects, names_people, version, created_at, updated_at)
         with recursive numbers (number) as (select 1 union all select number + 1 from numbers where number < 199)
         select r.brand_id, r.author_id, r.requester_id, r.kind, r.format, r.request, r.from_cut, r.to_cut, r.state, r.percent,
             r.generation, r.all_projects, r.names_people, r.version, r.created_at, r.updated_at
         from reports r cross join numbers where r.state = 'queued'";
    testkit::execute_raw_sql(yard.app.database(), copies).await.unwrap();
    for refused in
        [post(&yard, &yard.admin, &incursions_body("csv")).await, remake(&yard, &yard.admin, ready).await]
    {
        let problem = refused.expect(409).json();
        assert_eq!(problem["code"], "too_many_reports");
        assert!(problem["detail"].as_str().unwrap().contains("of your brand"), "{problem}");
    }
    // Another brand is not concerned.
    let stranger = yard.app.sign_in_new_user_in_brand("Other", "olga@example.com", Role::Admin).await;
    post(&yard, &stranger, &incursions_body("csv")).await.expect(201);
    assert_eq!(yard.app.run_jobs().await, 2);
    remake(&yard, &yard.admin, ready).await.expect(200);
    yard.app.run_jobs().await;
}
