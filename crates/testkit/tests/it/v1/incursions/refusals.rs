//! Invalid parameters of GET /api/v1/incursions, each reported by its name.

use testkit::{TestApp, on_both_engines};

use super::Yard;

on_both_engines!(wrong_parameters_are_refused_by_name);

async fn wrong_parameters_are_refused_by_name(app: TestApp) {
    let yard = Yard::new(app).await;
    let many = vec!["tag_id=1"; 101].join("&");
    for (query, field, code) in [
        ("from=yesterday", "from", "invalid_time"),
        ("from=2026-02-30", "from", "invalid_time"),
        ("from=2026-02-01T08:00:00", "from", "invalid_time"),
        ("from=2021-02-01", "from", "out_of_range"),
        ("from=2026-03-03", "from", "out_of_range"),
        ("from=2026-02-01&from=2026-02-02", "from", "repeated_parameter"),
        ("to=", "to", "invalid_time"),
        ("from=2026-02-02&to=2026-02-01", "to", "out_of_range"),
        ("project_id=x", "project_id", "invalid_id"),
        ("worksite_id=1.5", "worksite_id", "invalid_id"),
        ("machine_id=", "machine_id", "invalid_id"),
        ("machine_id=1&machine_id=x", "machine_id", "invalid_id"),
        ("base_station_id=BS-1", "base_station_id", "invalid_id"),
        ("person_id=99999999999999999999", "person_id", "invalid_id"),
        ("pedestrian_id=%00", "pedestrian_id", "invalid_id"),
        ("operator_id=1,2", "operator_id", "invalid_id"),
        (&many, "tag_id", "too_many"),
        ("zone=red", "zone", "invalid_zone"),
        ("acknowledged=yes", "acknowledged", "invalid_flag"),
        ("min_duration_s=-1", "min_duration_s", "out_of_range"),
        ("min_duration_s=1e3", "min_duration_s", "out_of_range"),
        ("max_duration_s=99999999999", "max_duration_s", "out_of_range"),
        ("min_duration_s=6&max_duration_s=5", "max_duration_s", "out_of_range"),
        ("review=seen", "review", "invalid_review"),
        ("after_seq=-1", "after_seq", "out_of_range"),
        ("after_seq=x", "after_seq", "out_of_range"),
        ("after_seq=0&limit=0", "limit", "out_of_range"),
        ("after_seq=0&include_total=true", "include_total", "not_with_after_seq"),
        ("after_seq=0&include_total=yes", "include_total", "invalid_flag"),
        ("after_seq=0&from=2026-02-01", "from", "not_with_after_seq"),
        ("after_seq=0&review=confirmed", "review", "not_with_after_seq"),
        ("after_seq=0&project_id=1", "project_id", "not_with_after_seq"),
        ("after_seq=0&sort=seq", "sort", "not_with_after_seq"),
    ] {
        let refused = yard.get(&yard.admin, &format!("?{query}")).await.expect(400).json();
        let error = &refused["errors"][0];
        assert_eq!((&error["field"], &error["code"]), (&field.into(), &code.into()), "{query}");
    }
    let hundred = (0..100).map(|id| format!("tag_id={id}")).collect::<Vec<_>>().join("&");
    yard.get(&yard.admin, &format!("?{hundred}&from=2021-03-01&to=2026-03-02")).await.expect(200);
}
