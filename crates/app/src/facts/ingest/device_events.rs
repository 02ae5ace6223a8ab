//! Ingest of alarms, logs, statuses, batteries, tag tests and receipts.

use std::collections::HashMap;

use domain::{EventPayload, SortedMap, SortedSet};
use serde_json::json;
use store::{Contact, DeviceEventKey, NewDeviceEvent, NewTagTest};

use super::attribution_cache::AttributionCache;
use super::batch_context::BatchContext;
use super::events::{EventOutcome, ResolvedEvent, latest_timestamp};
use crate::Error;

/// Stores events and applies their side effects.
pub(super) async fn ingest(
    context: &mut BatchContext<'_>,
    events: &[ResolvedEvent<'_>],
) -> Result<(), Error> {
    let mut first: HashMap<DeviceEventKey, &ResolvedEvent<'_>> = HashMap::new();
    let mut rows = Vec::new();
    for event in events {
        let Some(row) = event_row(event, context.links) else { continue };
        let key = DeviceEventKey {
            base_station: row.base_station,
            kind: row.kind.to_owned(),
            uid: row.uid.clone(),
        };
        if first.contains_key(&key) {
            context.outcomes[event.index] = EventOutcome::Duplicate;
            continue;
        }
        first.insert(key, event);
        rows.push(row);
    }
    if rows.is_empty() {
        return Ok(());
    }
    let mut new: Vec<&ResolvedEvent<'_>> = Vec::new();
    for key in context.tx.device_events(context.scope).add(&rows).await? {
        new.extend(first.remove(&key));
    }
    for known in first.into_values() {
        context.outcomes[known.index] = EventOutcome::Duplicate;
    }
    // In order of arrival; the database returns the keys in any order.
    new.sort_unstable_by_key(|known| known.index);
    apply_side_effects(context, &new).await
}

/// Applies the changes that new events cause besides their own rows.
async fn apply_side_effects(
    context: &mut BatchContext<'_>,
    events: &[&ResolvedEvent<'_>],
) -> Result<(), Error> {
    let (scope, now) = (context.scope, context.now);
    let (mut contacts, mut batteries, mut tests) = (Vec::new(), Vec::new(), Vec::new());
    let mut stations_with_new_zones = Vec::new();
    for known in events {
        match &known.received.event.payload {
            EventPayload::Status(status) => {
                let at = status.at.min(now);
                contacts.push(Contact {
                    station: known.station,
                    at,
                    firmware: status.firmware.as_deref(),
                    faults: Some(&status.faults),
                });
                if let Some(zones) = &status.zones
                    && context.app.apply_reported_zones(context.tx, scope, known.station, zones, at).await?
                {
                    stations_with_new_zones.push(known.station);
                }
            }
            EventPayload::TagBattery(battery) => {
                let tag = context.links.tag(&battery.tag);
                batteries.extend(tag.map(|tag| (tag, (battery.percent, battery.at))));
            }
            EventPayload::TagTest(test) => tests.extend(context.links.tag(&test.tag).map(|tag| NewTagTest {
                tag,
                device: None,
                base_station: Some(known.station),
                tested_at: test.at,
                passed: test.passed,
                battery: None,
            })),
            EventPayload::Receipt(receipt) => {
                // A receipt for a message of another station or brand, or for a deleted message, is stored and changes nothing.
                let (message, state) = (receipt.message, receipt.state);
                context.tx.messages(scope).record_receipt(known.station, message, state, receipt.at).await?;
            }
            EventPayload::LogEntry(_)
            | EventPayload::Incursion(_)
            | EventPayload::Runtime(_)
            | EventPayload::Gps(_) => {}
        }
    }
    // People set zones as well: whoever sends back zones that they read before the report gets 412.
    if !stations_with_new_zones.is_empty() {
        context.tx.lock_and_bump_registry(scope).await?;
    }
    for station in stations_with_new_zones.into_iter().collect::<SortedSet<_>>() {
        context.tx.base_stations(scope).touch(station, now).await?;
    }
    let batteries = SortedMap::merged(batteries, |latest, later| {
        if later.1 >= latest.1 {
            *latest = *later;
        }
    });
    context.tx.base_stations(scope).record_contacts(&contacts).await?;
    context.tx.tags(scope).record_batteries(&batteries).await?;
    context.tx.tag_tests(scope).add_many(&tests, now).await?;
    Ok(())
}

/// Returns the row of an event, or nothing for kinds that have tables of their own.
fn event_row(resolved: &ResolvedEvent<'_>, links: &AttributionCache) -> Option<NewDeviceEvent> {
    let event = &resolved.received.event;
    let mut row = NewDeviceEvent {
        base_station: resolved.station,
        kind: event.payload.kind(),
        uid: String::new(),
        at: latest_timestamp(&event.payload),
        code: None,
        severity: None,
        text: None,
        tag: None,
        details: String::new(),
        received_at: resolved.received.received_at,
    };
    let details = match &event.payload {
        EventPayload::Incursion(_) | EventPayload::Runtime(_) | EventPayload::Gps(_) => return None,
        EventPayload::Status(status) => json!({
            "firmware": status.firmware,
            "battery": status.battery,
            "faults": status.faults,
            "zones": status.zones,
        }),
        EventPayload::LogEntry(remark) => {
            row.code = Some(remark.code.clone());
            row.severity = Some(remark.severity.as_str());
            row.text = Some(remark.text.clone());
            json!({})
        }
        EventPayload::TagBattery(battery) => {
            row.tag = links.tag(&battery.tag);
            json!({ "percent": battery.percent })
        }
        EventPayload::TagTest(test) => {
            row.tag = links.tag(&test.tag);
            json!({ "passed": test.passed })
        }
        EventPayload::Receipt(receipt) => {
            json!({ "message_id": receipt.message, "state": receipt.state.as_str() })
        }
    };
    row.uid = event.uid.as_str().to_owned();
    row.details = details.to_string();
    Some(row)
}
