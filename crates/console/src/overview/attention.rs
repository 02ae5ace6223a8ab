//! What needs attention: outliers, alarms, devices and tags, the worst first; and the last reports.

use app::insights::{LabelledId, Outlier, OutlierBy};
use app::{FiringView, ReportView, StationOverview, TagOverview};
use domain::access::ManageDevices;
use domain::{AlertSeverity, BaseStation, ReportState, StationHealth, StationStatus};
use texts::console::{outliers, overview as t};

use super::data::Overview;
use crate::frame::Frame;
use crate::parts::{Attention, AttentionItem, Tone};
use crate::reports::words;

/// The number of alarms; what is beyond them is given as a number.
const MAX_ALARMS: usize = 4;

pub fn attention(frame: &Frame, found: &Overview) -> Attention {
    let mut items: Vec<AttentionItem> = Vec::new();
    items.extend(found.outliers.members.iter().filter_map(|member| outlier(frame, member)));
    items.extend(found.outliers.awaits_history.then(|| awaited_outliers(frame)));
    items.extend(found.firings.0.iter().take(MAX_ALARMS).map(|firing| alarm(frame, firing)));
    items.extend(more_alarms(frame, found.firings.1));
    items.extend(stations(frame, &found.stations));
    items.extend(tags(frame, &found.tags));
    items.sort_by_key(|item| rank(item.tone));
    Attention { items }
}

const fn rank(tone: Tone) -> u8 {
    match tone {
        Tone::Bad => 0,
        Tone::Warning => 1,
        Tone::Neutral => 2,
        Tone::Good => 3,
    }
}

/// Describes a machine or a site with more incursions than its peers; one with fewer needs no attention.
fn outlier(frame: &Frame, member: &Outlier) -> Option<AttentionItem> {
    let test = member.outcome.outlier_test().filter(|test| test.score > 0.0 && test.expected > 0.0)?;
    let formats = frame.formats();
    let observed = u32::try_from(member.outcome.observed).unwrap_or(u32::MAX);
    let values = [
        ("times", formats.decimal(f64::from(observed) / test.expected, 1)),
        ("observed", formats.integer(i64::from(observed))),
        ("expected", formats.decimal(test.expected, 0)),
    ];
    let values: Vec<(&str, &str)> = values.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let section = match member.by {
        OutlierBy::Worksite => "/sites",
        OutlierBy::Machine => "/machines",
        OutlierBy::Pedestrian | OutlierBy::Operator => "/people",
    };
    let href = match member.part.id {
        LabelledId::Number(id) => frame.link(&format!("{section}/{id}")),
        LabelledId::Word(_) | LabelledId::None => frame.link("/outliers"),
    };
    let kind = match test.adjusted_p {
        p if p < 0.001 => frame.fill(t::OUTLIER_BELOW, &[("q", &formats.decimal(0.001, 3))]),
        p => frame.fill(t::OUTLIER_AT, &[("q", &formats.decimal(p, 3))]),
    };
    Some(AttentionItem {
        tone: Tone::Bad,
        title: member.part.label.clone(),
        text: frame.fill(t::OUTLIER, &values),
        kind,
        href,
    })
}

/// Says that outliers are not known yet, which is not the same as that there are none.
fn awaited_outliers(frame: &Frame) -> AttentionItem {
    AttentionItem {
        tone: Tone::Neutral,
        title: frame.text(outliers::HISTORY_LOADING).to_owned(),
        text: frame.text(outliers::HISTORY_LOADING_REASON).to_owned(),
        kind: frame.text(outliers::TITLE).to_owned(),
        href: frame.link("/outliers"),
    }
}

fn alarm(frame: &Frame, view: &FiringView) -> AttentionItem {
    let (firing, labels) = (&view.firing, &view.labels);
    let places = [&labels.machine, &labels.base_station, &labels.tag, &labels.person, &labels.worksite];
    let place = places.into_iter().flatten().next();
    let value = texts::alerts::value(frame.language, firing.metric.unit().as_str(), firing.value().as_f64());
    let since = frame.formats().instant(firing.fired_at, &firing.time_zone);
    let severity = texts::alerts::severity(frame.language, firing.severity.as_str());
    AttentionItem {
        tone: match firing.severity {
            AlertSeverity::Critical => Tone::Bad,
            AlertSeverity::Warning => Tone::Warning,
            AlertSeverity::Info => Tone::Neutral,
        },
        title: match place {
            Some(place) => format!("{}: {place}", firing.rule_name),
            None => firing.rule_name.clone(),
        },
        text: frame.fill(t::ALARM_SINCE, &[("at", &since), ("value", &value)]),
        kind: frame.fill(t::ALARM, &[("severity", severity)]),
        href: frame.link(&format!("/alerts/{}/firings/{}", firing.rule, firing.id)),
    }
}

fn more_alarms(frame: &Frame, total: i64) -> Option<AttentionItem> {
    let more = total - i64::try_from(MAX_ALARMS).unwrap_or(0);
    (more > 0).then(|| AttentionItem {
        tone: Tone::Warning,
        title: frame.count(t::MORE_ALARMS, more),
        text: frame.text(t::MORE_ALARMS_TEXT).to_owned(),
        kind: frame.text(t::ALARMS).to_owned(),
        href: frame.link("/alerts"),
    })
}

fn stations(frame: &Frame, stations: &StationOverview) -> Vec<AttentionItem> {
    let mut items: Vec<AttentionItem> =
        stations.troubled.iter().map(|(one, health)| station(frame, one, health)).collect();
    let more = stations.troubled_total - i64::try_from(items.len()).unwrap_or(0);
    if more > 0 {
        items.push(AttentionItem {
            tone: Tone::Warning,
            title: frame.count(t::MORE_STATIONS, more),
            text: frame.text(t::MORE_STATIONS_TEXT).to_owned(),
            kind: frame.text(t::BASE_STATION).to_owned(),
            href: troubled_stations(frame),
        });
    }
    items
}

/// Returns the list of all stations that are silent or faulty.
pub fn troubled_stations(frame: &Frame) -> String {
    let statuses = [StationStatus::Silent, StationStatus::Faulty].map(|status| ("status", status.as_str()));
    frame.link_with("/settings/base-stations", &statuses)
}

fn station(frame: &Frame, station: &BaseStation, health: &StationHealth) -> AttentionItem {
    let name = station.name.as_ref().unwrap_or(&station.serial);
    let (title, state) = match health.status {
        StationStatus::Faulty => (t::FAULTY, station.heartbeat.faults.join(", ")),
        StationStatus::Silent | StationStatus::NeverSeen | StationStatus::Online => {
            let last = station.heartbeat.last_seen_at.map(|at| frame.formats().ago(at));
            let last = last.unwrap_or_else(|| frame.text(t::NEVER).to_owned());
            (t::SILENT, frame.fill(t::LAST_CONTACT, &[("ago", &last)]))
        }
    };
    let text = match &station.machine {
        Some((_, machine, _)) => frame.fill(t::ON_MACHINE, &[("machine", machine), ("state", &state)]),
        None => state,
    };
    let href = match &station.machine {
        Some((machine, ..)) => frame.link(&format!("/machines/{machine}")),
        None if frame.may::<ManageDevices>() => format!("/settings/base-stations/{}", station.id),
        None => frame.link("/machines"),
    };
    AttentionItem {
        tone: Tone::Warning,
        title: frame.fill(title, &[("name", name)]),
        text,
        kind: frame.text(t::BASE_STATION).to_owned(),
        href,
    }
}

fn tags(frame: &Frame, tags: &TagOverview) -> Option<AttentionItem> {
    let overdue = frame.count(t::TAGS_OVERDUE, tags.overdue);
    let (tone, title, text) = match (tags.overdue, tags.due) {
        (0, 0) => return None,
        (0, due) => (Tone::Neutral, frame.count(t::TAGS_DUE, due), frame.text(t::TAGS_DUE_TEXT).to_owned()),
        (_, 0) => (Tone::Warning, overdue, frame.text(t::TAGS_OVERDUE_TEXT).to_owned()),
        (_, due) => (Tone::Warning, overdue, frame.count(t::MORE_TAGS_DUE, due)),
    };
    let flag = if tags.overdue > 0 { "test_overdue" } else { "test_due" };
    let (kind, href) = (frame.text(t::TAGS).to_owned(), frame.link_with("/settings/tags", &[("flag", flag)]));
    Some(AttentionItem { tone, title, text, kind, href })
}

/// Lists the last reports with what became of them.
pub fn reports(frame: &Frame, reports: &[ReportView]) -> Attention {
    Attention { items: reports.iter().map(|view| report(frame, view)).collect() }
}

fn report(frame: &Frame, view: &ReportView) -> AttentionItem {
    let report = &view.report;
    let (tone, kind) = match report.state {
        ReportState::Queued => (Tone::Neutral, frame.text(t::REPORT_QUEUED).to_owned()),
        ReportState::Running => {
            let percent = frame.formats().integer(report.percent);
            (Tone::Neutral, frame.fill(t::REPORT_RUNNING, &[("percent", &percent)]))
        }
        ReportState::Ready => (Tone::Good, frame.text(t::REPORT_READY).to_owned()),
        ReportState::Failed => (Tone::Warning, frame.text(t::REPORT_FAILED).to_owned()),
        ReportState::Expired => (Tone::Neutral, frame.text(t::REPORT_EXPIRED).to_owned()),
    };
    let period = words::period(frame, &report.from, &report.to);
    AttentionItem {
        tone,
        title: texts::reports::report_title(frame.language, report.kind.as_str()).to_owned(),
        text: view.reason_text.map_or(period, ToOwned::to_owned),
        kind,
        href: frame.link(&format!("/reports/{}", report.id)),
    }
}
