//! Requests for charts that are refused.

use testkit::{TestApp, on_both_engines};

use super::{CHARTS, Yard, send_get};

on_both_engines!(a_wrong_parameter_is_named, what_is_no_chart_is_named, nothing_is_told_to_strangers);

async fn a_wrong_parameter_is_named(app: TestApp) {
    let yard = Yard::new(app).await;
    for (rest, status, code, parameter) in [
        ("/trends?metric=speed", 400, "invalid_measure", "metric"),
        ("/trends?interval=year", 400, "invalid_interval", "interval"),
        (
            "/trends?interval=hour&from=2022-01-01&metric=incursions&metric=acknowledged",
            422,
            "too_many_points",
            "interval",
        ),
        ("/machine_runtime?interval=hour&from=2025-01-01", 422, "too_many_points", "interval"),
        ("/trends?from=2026-02-02&to=2026-02-01", 400, "out_of_range", "to"),
        ("/trends?from=2020-01-01", 400, "out_of_range", "from"),
        ("/durations?from=2026-03-03", 400, "out_of_range", "from"),
        ("/trends?compare=last_year", 400, "invalid_comparison", "compare"),
        ("/trends?split_by=machine", 400, "unknown_parameter", "split_by"),
        ("/machine_runtime?operators=yes", 400, "invalid_flag", "operators"),
        ("/zone_time?by=colour", 400, "invalid_dimension", "by"),
        ("/zone_time?limit=101", 400, "out_of_range", "limit"),
        ("/incursion_rate?split_by=pedestrian", 400, "invalid_dimension", "split_by"),
        ("/heatmap?resolution=14", 400, "out_of_range", "resolution"),
        ("/heatmap?shade=colour", 400, "invalid_measure", "shade"),
        ("/hours_of_week?metric=incursions&metric=exposure", 400, "repeated_parameter", "metric"),
        ("/hours_of_week?interval=day", 400, "unknown_parameter", "interval"),
        ("/durations?format=png", 400, "invalid_format", "format"),
        ("/durations?theme=blue", 400, "invalid_theme", "theme"),
        ("/durations?width=199", 400, "out_of_range", "width"),
        ("/durations?height=4001", 400, "out_of_range", "height"),
        ("/durations?machine_id=x", 400, "invalid_id", "machine_id"),
        ("/acknowledged_incursions?zone=near", 400, "invalid_zone", "zone"),
    ] {
        // Errors are JSON:API documents, whatever format was requested.
        for accept in ["application/json", "image/svg+xml"] {
            let call = yard.app.get(&format!("{}{rest}", super::PATH)).bearer(&yard.admin.jwt);
            let refused = call.header("accept", accept).send().await.expect(status);
            assert_eq!(refused.code(), code, "{rest}");
            assert_eq!(refused.json()["errors"][0]["source"]["parameter"], parameter, "{rest}");
            assert_eq!(refused.header("content-type"), "application/vnd.api+json");
        }
    }
}

async fn what_is_no_chart_is_named(app: TestApp) {
    let yard = Yard::new(app).await;
    let refused = send_get(&yard, &yard.admin, "/speed").await.expect(404);
    assert_eq!(refused.code(), "not_found");
    let detail = refused.json()["errors"][0]["detail"].as_str().unwrap().to_owned();
    assert!(
        detail.contains("no chart called speed") && detail.contains("/api/v2/insights/charts"),
        "{detail}"
    );
    send_get(&yard, &yard.admin, "/%00%0a%3Cscript%3E").await.expect(404);
    send_get(&yard, &yard.admin, "/durations/1").await.expect(404);
    let call = yard.app.post("/api/v2/insights/charts/durations").bearer(&yard.admin.jwt);
    call.send().await.expect(405);
}

async fn nothing_is_told_to_strangers(app: TestApp) {
    let yard = Yard::new(app).await;
    for chart in CHARTS.into_iter().chain(["speed"]) {
        let path = format!("{}/{chart}", super::PATH);
        yard.app.get(&path).send().await.expect(401);
        yard.app.get(&path).cookie(&yard.admin.cookie).send().await.expect(401);
        // Authentication is checked before any other error.
        yard.app.get(&format!("{path}?format=png")).header("accept", "text/html").send().await.expect(401);
    }
}
