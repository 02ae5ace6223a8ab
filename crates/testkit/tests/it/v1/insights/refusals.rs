//! Requests for insights that are refused.

use domain::Role;
use testkit::{TestApp, on_both_engines};

use super::Yard;

on_both_engines!(bad_parameters_are_named, nothing_is_told_to_strangers);

async fn bad_parameters_are_named(app: TestApp) {
    let yard = Yard::new(app).await;
    for (rest, status, code, field) in [
        ("?metric=incursions", 400, "unknown_parameter", "metric"),
        ("/totals?compare=next", 400, "invalid_comparison", "compare"),
        ("/totals?from=2026-03-01&to=2026-02-01", 400, "out_of_range", "to"),
        ("/totals?from=2020-01-01&to=2026-02-01", 400, "out_of_range", "from"),
        ("/totals?from=0000-01-01&to=0000-02-01", 400, "out_of_range", "from"),
        ("/totals?to=0001-01-02", 400, "out_of_range", "to"),
        ("/totals?compare=previous&from=0001-01-01&to=0001-01-05", 400, "out_of_range", "from"),
        ("/totals?from=2026-03-03", 400, "out_of_range", "from"),
        ("/trends?from=2026-03-01T13:00:00Z", 400, "out_of_range", "from"),
        ("/breakdown?by=machine&from=2026-03-03", 400, "out_of_range", "from"),
        ("/totals?worksite_id=x", 400, "invalid_id", "worksite_id"),
        ("/trends?interval=minute", 400, "invalid_interval", "interval"),
        ("/trends?metric=speed", 400, "invalid_measure", "metric"),
        ("/trends?split_by=colour", 400, "invalid_dimension", "split_by"),
        ("/trends?split_by=zone&split_by=machine", 400, "repeated_parameter", "split_by"),
        ("/trends?interval=hour&from=2021-03-02&split_by=pedestrian", 422, "too_many_points", "interval"),
        ("/breakdown", 400, "required", "by"),
        ("/breakdown?by=day", 400, "invalid_dimension", "by"),
        ("/breakdown?by=machine&sort=-speed", 400, "invalid_measure", "sort"),
        ("/breakdown?by=machine&limit=0", 400, "out_of_range", "limit"),
        ("/breakdown?by=machine&limit=501", 400, "out_of_range", "limit"),
        ("/heatmap?resolution=8", 400, "out_of_range", "resolution"),
        ("/heatmap?resolution=14", 400, "out_of_range", "resolution"),
        ("/durations?min_duration_s=9&max_duration_s=3", 400, "out_of_range", "max_duration_s"),
    ] {
        let path = format!("/api/v1/insights{rest}");
        let refused = yard.app.get(&path).cookie(&yard.admin.cookie).send().await.expect(status);
        assert_eq!(refused.code(), code, "{rest}");
        assert_eq!(refused.json()["errors"][0]["field"], field, "{rest}");
    }
    let many: String = (0..101).map(|id| format!("machine_id={id}&")).collect();
    let path = format!("/api/v1/insights/totals?{many}");
    let refused = yard.app.get(&path).cookie(&yard.admin.cookie).send().await.expect(400);
    assert_eq!(refused.json()["errors"][0]["field"], "machine_id");
}

async fn nothing_is_told_to_strangers(app: TestApp) {
    let yard = Yard::new(app).await;
    for path in ["", "/totals", "/trends", "/breakdown?by=machine", "/durations", "/heatmap"] {
        yard.app.get(&format!("/api/v1/insights{path}")).send().await.expect(401);
    }
    // Another brand has its own numbers.
    yard.facts.add_incursions(vec![yard.row(60, Some(1))]).await;
    let other = yard.app.sign_in_new_user_in_brand("Other", "other@example.com", Role::Admin).await;
    let answer =
        yard.app.get("/api/v1/insights/totals").cookie(&other.cookie).send().await.expect(200).json();
    assert_eq!(answer["metrics"]["incursions"]["value"], 0.0);
}
