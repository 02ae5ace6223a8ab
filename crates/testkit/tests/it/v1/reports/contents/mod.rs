//! What the files of reports say.

mod documents;
mod incursions;
mod languages;
mod machine;
mod periods;
mod person;
mod pivot;
mod project_summary;
pub(super) mod reading;
mod remakes;
mod site_report;
mod site_safety;
mod tables;
mod tag_tests;
mod visits;

use domain::{
    BaseStationId, DeviceKind, IncursionRow, MachineId, PersonId, ProjectId, Span, TagId, WorksiteId, Zone,
};
use serde_json::{Value, json};
use testkit::{Account, TestApp};

use super::{create_ready_report, download, february};
use crate::pdf;
use crate::v1::insights::{Yard, acknowledged, incursion, runtime, set_time_zone};

/// Two places at worksite 1, more than a hexagon apart.
const PLACES: [(f64, f64); 2] = [(52.5200, 13.4050), (52.5212, 13.4075)];

/// A month at worksite 1, which is Monday to Friday of three weeks of February, in UTC:
///
/// - Crane 1 and Ada met 30 times in the first week, six times a day from 07:00 on at the first place; ten were dangers, 15 were
///   acknowledged. It ran for five hours, driven by Dan.
/// - Crane 2 and Cyd met ten times in the second week at the second place, without an acknowledgement.
/// - Crane 3 and someone unknown met five times in the third week; all were acknowledged.
///
/// Crane 1 and Ada met twelve times in the month before, in five hours of runtime, and in February four times at worksite 2. Ada has
/// worn tag T-1 since 2 February.
pub async fn month(app: TestApp) -> Yard {
    let yard = Yard::new(app).await;
    let boundary = json!({ "type": "Polygon", "coordinates": [[
        [13.403, 52.519], [13.409, 52.519], [13.409, 52.523], [13.403, 52.523], [13.403, 52.519],
    ]] });
    let call = yard.app.patch("/api/v1/worksites/1").cookie(&yard.admin.cookie);
    call.json(&json!({ "boundary": boundary })).send().await.expect(200);
    let call = yard.app.patch("/api/v1/tag_assignments/1").cookie(&yard.admin.cookie);
    call.json(&json!({ "assigned_at": "2026-02-02T06:00:00Z" })).send().await.expect(200);
    yard.app.run_jobs().await;
    yard.facts.add_incursions(incursions_of_month(&yard)).await;
    let mut hours = Vec::new();
    for day in 2..=6 {
        hours.push(runtime(&format!("2026-02-{day:02}T07:00:00Z"), 60));
        hours.push(runtime(&format!("2026-01-{:02}T07:00:00Z", day + 3), 60));
    }
    yard.facts.put_runtime(&hours).await;
    yard
}

fn incursions_of_month(yard: &Yard) -> Vec<IncursionRow> {
    let mut rows = Vec::new();
    for number in 0..30 {
        let (day, minute) = (2 + number / 6, number % 6 * 10);
        let mut row = incursion(yard, &format!("2026-02-{day:02}T07:{minute:02}:00Z"), 20);
        row.attribution.operator = Some(PersonId(4));
        row.attribution.cell = Some(cell(PLACES[0]));
        row.zone = if number % 3 == 0 { Zone::Danger } else { Zone::Warning };
        row.closest_cm = Some(250);
        rows.push(if number % 2 == 0 { acknowledged(row, 4) } else { row });
    }
    for number in 0..10 {
        let (day, minute) = (9 + number / 2, number % 2 * 30);
        let mut row = incursion(yard, &format!("2026-02-{day:02}T10:{minute:02}:00Z"), 20);
        (row.base_station, row.tag) = (BaseStationId(2), TagId(2));
        row.attribution.machine = Some(MachineId(2));
        row.attribution.pedestrian = Some(PersonId(3));
        row.attribution.cell = Some(cell(PLACES[1]));
        rows.push(row);
    }
    for day in 16..=20 {
        let mut row = acknowledged(incursion(yard, &format!("2026-02-{day}T15:00:00Z"), 20), 2);
        (row.base_station, row.tag) = (BaseStationId(3), TagId(3));
        row.attribution.machine = Some(MachineId(3));
        row.attribution.pedestrian = None;
        rows.push(row);
    }
    for day in 5..=16 {
        let row = incursion(yard, &format!("2026-01-{day:02}T07:30:00Z"), 20);
        rows.push(if day % 2 == 0 { acknowledged(row, 4) } else { row });
    }
    for day in 23..=26 {
        let mut row = incursion(yard, &format!("2026-02-{day}T11:00:00Z"), 20);
        row.attribution.worksite = Some(WorksiteId(2));
        row.attribution.project = Some(ProjectId(2));
        rows.push(row);
    }
    rows
}

/// Moves worksites 2 and 3 to time zones of their own, and adds that Cyd was at worksite 3 in the month before. In February, Dan, Cyd and
/// tag 2 were at worksite 1 only, Ada and tag 1 at worksite 2 as well, and nothing is known of Bob.
async fn spread_over_time_zones(yard: &Yard) {
    set_time_zone(yard, "2", "Pacific/Auckland").await;
    set_time_zone(yard, "3", "Asia/Tokyo").await;
    let mut earlier = incursion(yard, "2026-01-20T10:00:00Z", 10);
    earlier.attribution.pedestrian = Some(PersonId(3));
    earlier.attribution.worksite = Some(WorksiteId(3));
    earlier.attribution.project = Some(ProjectId(2));
    yard.facts.add_incursions(vec![earlier]).await;
}

/// Makes a report and returns its time zones.
async fn time_zones(yard: &Yard, body: &Value) -> Value {
    refill_quota(yard);
    create_ready_report(yard, &yard.admin, body).await["time_zones"].clone()
}

/// Returns the cell of a position, as facts have it.
fn cell((lat, lon): (f64, f64)) -> i64 {
    let cell = h3o::LatLng::new(lat, lon).unwrap().to_cell(h3o::Resolution::Thirteen);
    i64::try_from(u64::from(cell)).unwrap()
}

/// Makes a report about February and returns its file in a format.
async fn file(yard: &Yard, user: &Account, kind: &str, more: &Value, format: &str) -> Vec<u8> {
    let mut body = json!({ "kind": kind, "format": format });
    if !["pivot", "site_report"].contains(&kind) {
        body["filters"] = february();
    }
    body.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap_or_default());
    let id = &create_ready_report(yard, user, &body).await["id"];
    download(yard, user, id, "").await.expect(200).body
}

/// Makes a PDF, checks that it is sound, and returns its text without the version of the program.
async fn document(yard: &Yard, user: &Account, kind: &str, more: &Value) -> Document {
    let bytes = file(yard, user, kind, more, "pdf").await;
    pdf::check(&bytes);
    let version = concat!("Keepclear ", env!("CARGO_PKG_VERSION"));
    let text = pdf::text(&bytes).replace(version, "Keepclear");
    let in_order = pdf::text_in_order(&bytes).replace(version, "Keepclear");
    let structure = pdf::structure(&bytes).replace(version, "Keepclear");
    Document { text, in_order: squeezed(&in_order), structure, bytes }
}

struct Document {
    /// As it is seen.
    text: String,
    /// In the order in which it is read, without line breaks.
    in_order: String,
    structure: String,
    bytes: Vec<u8>,
}

impl Document {
    /// Asserts that sentences are in the text, wherever lines were broken.
    #[track_caller]
    fn says(&self, sentences: &[&str]) {
        for sentence in sentences {
            assert!(self.in_order.contains(sentence), "{sentence:?} is missing in {}", self.text);
        }
    }

    #[track_caller]
    fn does_not_say(&self, words: &[&str]) {
        for word in words {
            assert!(!self.in_order.contains(word), "{word:?} is in {}", self.text);
        }
    }
}

/// Returns a text without line breaks and runs of blanks.
fn squeezed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Tests a tag at a kiosk.
async fn test_tag(yard: &Yard, kiosk: &str, serial: &str, tested_at: &str, passed: bool) {
    let body = json!({ "tag_serial": serial, "passed": passed, "tested_at": tested_at });
    yard.app.post("/api/v1/tester/tag_tests").bearer(kiosk).json(&body).send().await.expect(201);
}

async fn kiosk(yard: &Yard) -> String {
    yard.app.issue_token("Acme", DeviceKind::Tester, "Gate 1").await
}

async fn rename(yard: &Yard, path: &str, name: &str) {
    let call = yard.app.patch(path).cookie(&yard.admin.cookie).json(&json!({ "name": name }));
    call.send().await.expect(200);
}

/// Advances the clock so that the rate limit allows more calls.
fn refill_quota(yard: &Yard) {
    yard.app.clock.advance(Span::seconds(25));
}
