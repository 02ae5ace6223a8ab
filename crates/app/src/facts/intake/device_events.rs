//! Alarms, logs, states, batteries, tests and receipts come in.

use std::collections::{BTreeMap, HashMap};

use domain::Report;
use serde_json::json;
use store::{Contact, DeviceEventKey, NewDeviceEvent, NewTagTest};

use super::Verdict;
use super::links::Links;
use super::writer::{Intaking, Known};
use crate::Error;

/// Brings events to their rows, and lets what depends on them follow.
pub(super) async fn take(intaking: &mut Intaking<'_>, known: &[Known<'_>]) -> Result<(), Error> {
    let mut first: HashMap<DeviceEventKey, &Known<'_>> = HashMap::new();
    let mut rows = Vec::new();
    for event in known {
        let Some(row) = row(event, intaking.links) else { continue };
        let key = DeviceEventKey {
            base_station: row.base_station,
            kind: row.kind.to_owned(),
            uid: row.uid.clone(),
        };
        if first.contains_key(&key) {
            intaking.verdicts[event.index] = Verdict::Duplicate;
            continue;
        }
        first.insert(key, event);
        rows.push(row);
    }
    if rows.is_empty() {
        return Ok(());
    }
    let mut new: Vec<&Known<'_>> = Vec::new();
    for key in intaking.tx.device_events(intaking.scope).add(&rows).await? {
        new.extend(first.remove(&key));
    }
    for known in first.into_values() {
        intaking.verdicts[known.index] = Verdict::Duplicate;
    }
    // In the order they came, whatever order the engine told them in.
    new.sort_unstable_by_key(|known| known.index);
    follow(intaking, &new).await
}

/// What new events change besides their own rows.
async fn follow(intaking: &mut Intaking<'_>, new: &[&Known<'_>]) -> Result<(), Error> {
    let (scope, now) = (intaking.scope, intaking.now);
    let (mut contacts, mut batteries, mut tests) = (Vec::new(), BTreeMap::new(), Vec::new());
    for known in new {
        match &known.arrival.event.report {
            Report::Status(status) => {
                let at = status.at.min(now);
                contacts.push(Contact {
                    station: known.station,
                    at,
                    firmware: status.firmware.as_deref(),
                    faults: Some(&status.faults),
                });
                if let Some(zones) = &status.zones {
                    intaking.app.zones_reported(intaking.tx, scope, known.station, zones, at).await?;
                }
            }
            Report::TagBattery(battery) => {
                if let Some(tag) = intaking.links.tag(&battery.tag) {
                    let told = batteries.entry(tag).or_insert((battery.percent, battery.at));
                    if battery.at >= told.1 {
                        *told = (battery.percent, battery.at);
                    }
                }
            }
            Report::TagTest(test) => tests.extend(intaking.links.tag(&test.tag).map(|tag| NewTagTest {
                tag,
                device: None,
                base_station: Some(known.station),
                tested_at: test.at,
                passed: test.passed,
                battery: None,
            })),
            Report::Receipt(receipt) => {
                // One of another station or brand, or long gone, is kept as it was told and changes nothing.
                let (message, state) = (receipt.message, receipt.state);
                intaking.tx.messages(scope).receive(known.station, message, state, receipt.at).await?;
            }
            Report::Remark(_) | Report::Incursion(_) | Report::Runtime(_) | Report::Gps(_) => {}
        }
    }
    intaking.tx.base_stations(scope).seen_all(&contacts).await?;
    intaking.tx.tags(scope).batteries(&batteries).await?;
    intaking.tx.tag_tests(scope).add_many(&tests, now).await?;
    Ok(())
}

/// The row of an event; none if it is of a kind with rows of its own.
fn row(known: &Known<'_>, links: &Links) -> Option<NewDeviceEvent> {
    let event = &known.arrival.event;
    let mut row = NewDeviceEvent {
        base_station: known.station,
        kind: event.report.kind(),
        uid: String::new(),
        at: super::attribution::latest(&event.report),
        code: None,
        severity: None,
        text: None,
        tag: None,
        details: String::new(),
        received_at: known.arrival.received_at,
    };
    let details = match &event.report {
        Report::Incursion(_) | Report::Runtime(_) | Report::Gps(_) => return None,
        Report::Status(status) => json!({
            "firmware": status.firmware,
            "battery": status.battery,
            "faults": status.faults,
            "zones": status.zones,
        }),
        Report::Remark(remark) => {
            row.code = Some(remark.code.clone());
            row.severity = Some(remark.severity.as_str());
            row.text = Some(remark.text.clone());
            json!({})
        }
        Report::TagBattery(battery) => {
            row.tag = links.tag(&battery.tag);
            json!({ "percent": battery.percent })
        }
        Report::TagTest(test) => {
            row.tag = links.tag(&test.tag);
            json!({ "passed": test.passed })
        }
        Report::Receipt(receipt) => json!({ "message_id": receipt.message, "state": receipt.state.as_str() }),
    };
    row.uid = event.uid.as_str().to_owned();
    row.details = details.to_string();
    Some(row)
}
