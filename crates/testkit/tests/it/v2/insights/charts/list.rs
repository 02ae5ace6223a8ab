//! GET /api/v2/insights/charts

use serde_json::{Value, json};
use testkit::{TestApp, on_both_engines};

use super::{CHARTS, Yard, chart, refill_quota, send_get};

on_both_engines!(every_chart_is_listed_with_what_it_takes, every_default_is_what_is_taken_without_it);

async fn every_chart_is_listed_with_what_it_takes(app: TestApp) {
    let yard = Yard::new(app).await;
    let list = chart(&yard, "").await;
    let keys: Vec<&Value> = list["charts"].as_array().unwrap().iter().map(|one| &one["key"]).collect();
    assert_eq!(keys, CHARTS);
    for one in list["charts"].as_array().unwrap() {
        refill_quota(&yard);
        assert_eq!(one["formats"], json!(["json", "svg"]));
        assert!(one["description"].as_str().unwrap().len() > 20);
        let path = one["path"].as_str().unwrap();
        let answer = yard.app.get(path).bearer(&yard.admin.jwt).send().await.expect(200).json();
        // Where the unit depends on the metric, the default is a count of incursions.
        let unit = one["unit"].as_str().unwrap_or("count");
        assert_eq!((&answer["chart"], answer["unit"].as_str().unwrap()), (&one["key"], unit));
        // Every listed value is accepted.
        for parameter in one["parameters"].as_array().unwrap() {
            let name = parameter["name"].as_str().unwrap();
            let words =
                parameter["values"].as_array().unwrap().iter().map(|word| word.as_str().unwrap().to_owned());
            let bounds = ["minimum", "maximum"]
                .into_iter()
                .filter_map(|name| Some(parameter[name].as_i64()?.to_string()));
            for value in words.chain(bounds) {
                let path = format!("{path}?{name}={value}");
                yard.app.get(&path).bearer(&yard.admin.jwt).send().await.expect(200);
            }
        }
    }
    assert_eq!(list["filters"].as_array().unwrap().len(), 17);
    yard.app.get("/api/v2/insights/charts").send().await.expect(401);
    send_get(&yard, &yard.admin, "?limit=3").await.expect(400);
}

async fn every_default_is_what_is_taken_without_it(app: TestApp) {
    let yard = super::busy_yard(app).await;
    let list = chart(&yard, "").await;
    for one in list["charts"].as_array().unwrap() {
        let key = one["key"].as_str().unwrap();
        let bare = chart(&yard, &format!("/{key}")).await;
        for parameter in one["parameters"].as_array().unwrap() {
            let Some(default) = parameter["default"].as_str() else { continue };
            let name = parameter["name"].as_str().unwrap();
            assert_eq!(chart(&yard, &format!("/{key}?{name}={default}")).await, bare, "{key} {name}");
        }
    }
}
