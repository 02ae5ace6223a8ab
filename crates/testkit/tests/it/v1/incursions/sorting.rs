//! The parameter `sort` of GET /api/v1/incursions, and the filters by kinds.

use domain::Span;
use serde_json::json;
use testkit::{TestApp, on_both_engines};

use super::{PATH, Yard};

on_both_engines!(
    incursions_are_sorted_by_their_spans,
    a_wide_period_is_sorted_if_few_match,
    a_wide_period_of_many_is_not_sorted_by_spans,
    counting_stops_at_the_limit,
    incursions_are_found_by_kinds,
);

/// Adds incursions with these durations and acknowledgement times in seconds, one minute after another.
async fn add(yard: &Yard, spans: &[(Option<i64>, Option<i64>)]) {
    let rows = spans.iter().zip(1..).map(|((duration, acknowledged), minutes)| {
        let mut row = yard.row(minutes, Some(1 + minutes % 2));
        row.ended_at = duration.map(|seconds| row.started_at + Span::seconds(seconds));
        row.acknowledged_at = acknowledged.map(|seconds| row.started_at + Span::seconds(seconds));
        row
    });
    yard.facts.add_incursions(rows.collect()).await;
}

async fn incursions_are_sorted_by_their_spans(app: TestApp) {
    let yard = Yard::new(app).await;
    add(&yard, &[(Some(9), Some(1)), (None, None), (Some(3), Some(8)), (Some(9), None), (Some(5), Some(8))])
        .await;
    for (sort, expected) in [
        ("-started_at", [1, 2, 3, 4, 5]),
        ("started_at", [5, 4, 3, 2, 1]),
        ("duration_ms", [2, 3, 5, 1, 4]),
        ("-duration_ms", [4, 1, 5, 3, 2]),
        ("ack_ms", [2, 4, 1, 3, 5]),
        ("-ack_ms", [5, 3, 1, 4, 2]),
    ] {
        assert_eq!(yard.ids(&yard.admin, &format!("?sort={sort}")).await, expected, "{sort}");
        let (mut seen, mut query) = (Vec::new(), format!("?sort={sort}&limit=2&include_total=true"));
        loop {
            let page = yard.get(&yard.admin, &query).await.expect(200).json();
            assert_eq!(page["page"]["total"], 5, "{sort}");
            seen.extend(super::ids(&page));
            let Some(next) = page["page"]["next"].as_str() else { break };
            query = format!("?sort={sort}&limit=2&include_total=true&cursor={next}");
        }
        assert_eq!(seen, expected, "{sort}");
    }
    let narrow = yard.restricted("narrow@example.com", domain::Role::Viewer, &[1]).await;
    assert_eq!(yard.ids(&narrow, "?sort=duration_ms").await, [2, 4]);
    for (query, field, code) in [
        ("?sort=zone", "sort", "invalid_sort"),
        ("?sort=", "sort", "invalid_sort"),
        ("?sort=duration_ms,ack_ms", "sort", "invalid_sort"),
        ("?after_seq=0&sort=duration_ms", "sort", "not_with_after_seq"),
    ] {
        let error = yard.get(&yard.admin, query).await.expect(400).json()["errors"][0].clone();
        assert_eq!((&error["field"], &error["code"]), (&json!(field), &json!(code)), "{query}");
    }
    let page = yard.get(&yard.admin, "?sort=duration_ms&limit=2").await.expect(200).json();
    let next = page["page"]["next"].as_str().unwrap();
    yard.get(&yard.admin, &format!("?sort=-duration_ms&limit=2&cursor={next}")).await.expect(400);
}

async fn a_wide_period_is_sorted_if_few_match(app: TestApp) {
    let yard = Yard::new(app).await;
    add(&yard, &[(Some(9), None), (Some(3), None)]).await;
    assert_eq!(yard.ids(&yard.admin, "?sort=duration_ms&from=2025-01-01").await, [2, 1]);
}

async fn a_wide_period_of_many_is_not_sorted_by_spans(app: TestApp) {
    let yard = Yard::new(app).await;
    add(&yard, &[(Some(9), None), (Some(3), None), (Some(5), None)]).await;
    let small = yard.app.second_instance_with(|config| config.analytics.max_sorted_incursions = 2).await;
    let get = |query: &str| small.get(&format!("{PATH}?{query}")).cookie(&yard.admin.cookie).send();
    for query in [
        "sort=duration_ms&from=2026-01-28",
        "sort=-ack_ms&from=2026-01-28T00:00:00Z",
        // 31 days and half of today, a day more, and a moment more.
        "sort=duration_ms&from=2026-01-29",
        "sort=duration_ms&from=2026-01-29&to=2026-03-02",
        "sort=duration_ms&from=2026-01-29T12:00:00Z&to=2026-03-01T12:00:00.000001Z",
    ] {
        let error = get(query).await.expect(400).json()["errors"][0].clone();
        assert_eq!((&error["field"], &error["code"]), (&json!("sort"), &json!("too_wide")), "{query}");
    }
    for (query, found) in [
        // At most 31 days, fewer rows, or another order.
        ("sort=duration_ms", vec![2, 3, 1]),
        ("sort=duration_ms&from=2026-01-29T12:00:00Z&to=2026-03-01T12:00:00Z", vec![2, 3, 1]),
        ("sort=duration_ms&from=2026-01-30", vec![2, 3, 1]),
        ("sort=duration_ms&from=2026-01-30&to=2026-03-02", vec![2, 3, 1]),
        ("sort=duration_ms&from=2026-01-01&max_duration_s=5", vec![2, 3]),
        ("sort=started_at&from=2026-01-01", vec![3, 2, 1]),
    ] {
        assert_eq!(super::ids(&get(query).await.expect(200).json()), found, "{query}");
    }
}

async fn counting_stops_at_the_limit(app: TestApp) {
    let yard = Yard::new(app).await;
    add(&yard, &[(Some(9), None), (Some(3), None), (None, None)]).await;
    let (store, scope) = yard.facts.store_and_scope();
    let mut tx = store.read().await.unwrap();
    for (limit, counted) in [(1, 1), (3, 3), (4, 3)] {
        let filter = domain::insights::IncursionFilter::default();
        let found =
            tx.incursion_pages(scope).count_up_to(&filter, yard.app.clock.now(), limit).await.unwrap();
        assert_eq!(found, counted);
    }
}

async fn incursions_are_found_by_kinds(app: TestApp) {
    let yard = Yard::new(app).await;
    let patch = |path: &str, body: serde_json::Value| {
        yard.app.patch(path).cookie(&yard.admin.cookie).json(&body).send()
    };
    patch("/api/v1/worksites/2", json!({ "kind": "forestry" })).await.expect(200);
    patch("/api/v1/machines/2", json!({ "kind": "roller" })).await.expect(200);
    let mut rows: Vec<_> = (1..=4).map(|minutes| yard.row(minutes, Some(1 + minutes % 2))).collect();
    rows[2].attribution.machine = Some(domain::MachineId(2));
    rows[3].attribution.machine = None;
    yard.facts.add_incursions(rows).await;
    // Incursions 1 and 3 are at worksite 2, which is a forest; 1 and 2 of crane 1, 3 of the roller, 4 of none.
    for (query, found) in [
        ("worksite_kind=forestry", vec![1, 3]),
        ("worksite_kind=other", vec![2, 4]),
        ("machine_kind=crane", vec![1, 2]),
        ("machine_kind=crane&machine_kind=roller", vec![1, 2, 3]),
        ("machine_kind=crane&worksite_kind=forestry", vec![1]),
        ("machine_kind=roller&machine_id=1", vec![]),
        ("machine_kind=dozer", vec![]),
    ] {
        assert_eq!(yard.ids(&yard.admin, &format!("?{query}")).await, found, "{query}");
        let path = format!("/api/v1/insights/totals?{query}");
        let totals = yard.app.get(&path).cookie(&yard.admin.cookie).send().await.expect(200).json();
        let counted = &totals["metrics"]["incursions"]["value"];
        assert_eq!(counted.as_f64(), Some(found.len() as f64), "{query}: {totals}");
    }
    for query in ["machine_kind=tank", "worksite_kind=", "machine_kind=crane,roller"] {
        let refused = yard.app.get(&format!("{PATH}?{query}")).cookie(&yard.admin.cookie).send().await;
        assert_eq!(refused.expect(400).json()["errors"][0]["code"], "invalid_kind", "{query}");
    }
}
