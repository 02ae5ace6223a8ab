//! The entries of a timeline, as the part shows them.

use app::{MovedMessage, TimelineEntry};
use domain::event::Severity;
use domain::{
    Day, DeviceEvent, IncursionDetails, StationClip, StationMessage, StationRuntime, TimelineKind, Zone,
};
use serde_json::Value;
use texts::console::machines as t;
use texts::values;

use super::messages::state_badge;
use super::{MachineAtSite, time_of_day};
use crate::formats::seconds_between;
use crate::frame::Frame;
use crate::parts::{Badge, Timeline, TimelineDay, TimelineItem, Tone};

/// What an entry says beside its time.
struct Said {
    badge: Option<Badge>,
    title: String,
    text: String,
    href: Option<String>,
}

/// Groups entries, the newest of which is first, by the days of the site. `moved` are the messages among them that waited while their
/// station moved.
pub fn by_day(
    frame: &Frame,
    at: &MachineAtSite,
    entries: &[TimelineEntry],
    moved: &[MovedMessage],
) -> Timeline {
    let mut days: Vec<(i64, TimelineDay)> = Vec::new();
    for entry in entries {
        let day = at.zone.local(entry.at()).day;
        let Said { badge, title, text, href } = describe(frame, at, entry, moved);
        let item = TimelineItem { time: time_of_day(entry.at(), &at.zone), badge, title, text, href };
        match days.last_mut() {
            Some((last, group)) if *last == day => group.entries.push(item),
            _ => {
                let label = frame.formats().day(Day::from_number(day));
                days.push((day, TimelineDay { label, entries: vec![item] }));
            }
        }
    }
    Timeline { days: days.into_iter().map(|(_, day)| day).collect() }
}

fn describe(frame: &Frame, at: &MachineAtSite, entry: &TimelineEntry, moved: &[MovedMessage]) -> Said {
    match entry {
        TimelineEntry::Incursion(details) => incursion(frame, details),
        TimelineEntry::DeviceEvent(kind, event) => device_event(frame, *kind, event),
        TimelineEntry::Message(message) => sent_message(frame, message, moved),
        TimelineEntry::Clip(clip) => clip_request(frame, at, clip),
        TimelineEntry::Runtime(runtime) => ran(frame, runtime),
    }
}

fn incursion(frame: &Frame, details: &IncursionDetails) -> Said {
    let row = &details.stored.row;
    let (sign, tone) = match row.zone {
        Zone::Danger => ("▲", Tone::Bad),
        Zone::Warning => ("△", Tone::Warning),
    };
    let zone = values::zone(frame.language, row.zone.as_str());
    let who = match &details.pedestrian {
        Some(person) => person.name.clone(),
        None => frame.fill(t::WITH_TAG, &[("serial", &details.tag.1)]),
    };
    let mut facts = vec![values::acknowledged(frame.language, row.acknowledged_at.is_some()).to_owned()];
    if let Some(ended) = row.ended_at {
        facts.push(frame.formats().seconds(seconds_between(row.started_at, ended)));
    }
    if let Some(closest) = row.closest_cm {
        facts.push(frame.fill(t::CLOSEST, &[("distance", &format!("{closest}\u{a0}cm"))]));
    }
    if let Some(operator) = &details.operator {
        facts.push(frame.fill(t::DRIVEN_BY, &[("name", &operator.name)]));
    }
    Said {
        badge: Some(Badge { word: zone.to_owned(), sign, tone }),
        title: frame.fill(t::INCURSION_WITH, &[("zone", zone), ("who", &who)]),
        text: facts.join(" · "),
        href: Some(frame.link(&format!("/incursions/{}", details.stored.id))),
    }
}

fn device_event(frame: &Frame, kind: TimelineKind, event: &DeviceEvent<Value>) -> Said {
    let word = t::timeline_kind(frame.language, kind.as_str());
    let serial = event.tag.as_ref().map(|(_, serial)| frame.fill(t::WITH_TAG, &[("serial", serial)]));
    let mut facts: Vec<String> = serial.into_iter().collect();
    match kind {
        TimelineKind::TagBattery => {
            let percent = event.details.get("percent").and_then(Value::as_i64);
            facts.extend(percent.map(|percent| format!("{percent}\u{a0}%")));
        }
        TimelineKind::TagTest => {
            let passed = event.details.get("passed").and_then(Value::as_bool);
            let text = |passed| frame.text(if passed { t::TEST_PASSED } else { t::TEST_FAILED }).to_owned();
            facts.extend(passed.map(text));
        }
        TimelineKind::Status => {
            let faults = event.details.get("faults").and_then(Value::as_array);
            let faults: Vec<&str> = faults.into_iter().flatten().filter_map(Value::as_str).collect();
            facts.extend((!faults.is_empty()).then(|| faults.join(", ")));
        }
        _ => facts.extend(event.code.clone().into_iter().chain(event.text.clone())),
    }
    let tone = match event.severity {
        Some(Severity::Critical | Severity::Error) => Some(("▲", Tone::Bad)),
        Some(Severity::Warning) => Some(("△", Tone::Warning)),
        Some(Severity::Info) | None => None,
    };
    let badge = tone.map(|(sign, tone)| Badge { word: word.to_owned(), sign, tone });
    Said { badge, title: word.to_owned(), text: facts.join(" · "), href: None }
}

fn sent_message(frame: &Frame, message: &StationMessage, moved: &[MovedMessage]) -> Said {
    let text = message.body.clone().unwrap_or_else(|| frame.text(t::HIDDEN).to_owned());
    let mut facts = vec![text];
    // A message that waited while its station moved went with it to another cab, so the entry names the station that has it.
    if let Some(one) = moved.iter().find(|one| one.id == message.id) {
        let serial = [("serial", one.serial.as_str())];
        facts.extend(one.came.then(|| frame.fill(t::SENT_EARLIER, &serial)));
        facts.extend(one.left.then(|| frame.fill(t::WENT_WITH_STATION, &serial)));
    }
    Said {
        badge: Some(state_badge(frame, message.progress().state(frame.now))),
        title: frame.text(t::MESSAGE).to_owned(),
        text: facts.join(" · "),
        href: None,
    }
}

fn clip_request(frame: &Frame, at: &MachineAtSite, clip: &StationClip) -> Said {
    let state = t::clip_state(frame.language, clip.state.as_str());
    let recorded = frame.formats().instant(clip.from, &at.zone);
    Said {
        badge: None,
        title: frame.fill(t::CLIP, &[("camera", &clip.camera), ("at", &recorded)]),
        text: state.to_owned(),
        href: Some(frame.link(&format!("/machines/{}/clips/{}", at.machine.id, clip.id))),
    }
}

fn ran(frame: &Frame, runtime: &StationRuntime) -> Said {
    let time = frame.formats().seconds(seconds_between(runtime.started_at, runtime.ended_at));
    let driver = runtime.operator.as_ref();
    Said {
        badge: None,
        title: frame.fill(t::RAN_FOR, &[("time", &time)]),
        text: driver.map(|person| frame.fill(t::DRIVEN_BY, &[("name", &person.name)])).unwrap_or_default(),
        href: driver.map(|person| frame.link(&format!("/people/{}", person.id))),
    }
}
