//! Lists of views: filters, sort orders, pages in both directions.

use domain::{Role, Span};
use serde_json::{Value, json};
use testkit::{TestApp, on_both_engines};

use super::{PATH, change, create_view, names, shared_view, small_view};

on_both_engines!(
    filters_narrow_what_one_sees,
    lists_are_sorted_as_asked,
    pages_are_walked_both_ways_past_what_is_hidden,
    a_list_takes_no_statement_per_row,
);

async fn filters_narrow_what_one_sees(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Member).await;
    let bob = app.sign_in_new_user("bob@example.com", Role::Member).await;
    create_view(&app, &ada, &small_view("Ada's own")).await;
    create_view(&app, &ada, &shared_view("Ada's shared")).await;
    create_view(&app, &bob, &small_view("Bob's own")).await;
    create_view(
        &app,
        &bob,
        &json!({ "name": "Bob's Crête", "kind": "filter", "definition": {}, "shared": true }),
    )
    .await;
    for (query, expected) in [
        ("", &["Ada's own", "Ada's shared", "Bob's Crête"][..]),
        ("filter[shared]=true", &["Ada's shared", "Bob's Crête"]),
        ("filter[shared]=false", &["Ada's own"]),
        ("filter[kind]=pivot", &["Ada's own", "Ada's shared"]),
        ("filter[kind]=filter", &["Bob's Crête"]),
        ("filter%5Bq%5D=CRETE", &["Bob's Crête"]),
        ("filter[q]=own", &["Ada's own"]),
        ("filter[q]=%25", &[]),
        ("filter[kind]=filter&filter[shared]=false", &[]),
    ] {
        assert_eq!(names(&app, &ada, query).await, expected, "{query}");
    }
}

async fn lists_are_sorted_as_asked(app: TestApp) {
    let user = app.sign_in_new_user("ada@example.com", Role::Member).await;
    let mut ids = Vec::new();
    for name in ["b", "C", "a"] {
        ids.push(create_view(&app, &user, &small_view(name)).await);
        app.clock.advance(Span::seconds(1));
    }
    change(&app, &user, &ids[0], &json!({ "definition": { "measures": ["exposure"] } })).await.expect(200);
    for (sort, expected) in [
        ("name", ["a", "b", "C"]),
        ("-name", ["C", "b", "a"]),
        ("created_at", ["b", "C", "a"]),
        ("-created_at", ["a", "C", "b"]),
        ("updated_at", ["C", "a", "b"]),
        ("-updated_at", ["b", "a", "C"]),
    ] {
        assert_eq!(names(&app, &user, &format!("sort={sort}")).await, expected, "{sort}");
    }
}

async fn pages_are_walked_both_ways_past_what_is_hidden(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Member).await;
    let bob = app.sign_in_new_user("bob@example.com", Role::Member).await;
    for n in 0..7 {
        create_view(&app, &ada, &small_view(&format!("View {n}"))).await;
        // Shared views of the same name come next to it, private ones in between.
        let other =
            if n % 2 == 0 { shared_view(&format!("View {n}")) } else { small_view(&format!("View {n}")) };
        create_view(&app, &bob, &other).await;
    }
    let get = async |path: &str| app.get(path).bearer(&ada.jwt).send().await.expect(200).json();
    let ids = |page: &Value| -> Vec<String> {
        page["data"].as_array().unwrap().iter().map(|row| row["id"].as_str().unwrap().to_owned()).collect()
    };
    for sort in ["name", "-name", "created_at", "-updated_at"] {
        let whole = ids(&get(&format!("{PATH}?sort={sort}&page[size]=500")).await);
        assert_eq!(whole.len(), 11);
        let mut pages = vec![get(&format!("{PATH}?sort={sort}&page[size]=2")).await];
        while let Some(next) = pages.last().unwrap()["links"]["next"].as_str() {
            let next = get(next).await;
            pages.push(next);
        }
        assert_eq!(pages.iter().flat_map(ids).collect::<Vec<_>>(), whole, "{sort}");
        let mut back = pages.pop().unwrap();
        while let Some(expected) = pages.pop() {
            back = get(back["links"]["prev"].as_str().unwrap()).await;
            assert_eq!(back["data"], expected["data"], "{sort}");
        }
        assert_eq!(back["links"]["prev"], Value::Null, "{sort}");
    }
}

async fn a_list_takes_no_statement_per_row(app: TestApp) {
    let user = app.sign_in_new_user("ada@example.com", Role::Member).await;
    let mut counts = Vec::new();
    for round in 0..3 {
        for n in 0..=round * 6 {
            create_view(&app, &user, &shared_view(&format!("View {round}-{n}"))).await;
        }
        names(&app, &user, "").await;
        let before = app.edge().app.store.statement_count();
        names(&app, &user, "").await;
        counts.push(app.edge().app.store.statement_count() - before);
    }
    assert_eq!(counts, [1, 1, 1]);
}
