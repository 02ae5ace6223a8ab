//! The fields of an alert, as forms have them. Those of its scope and its hours have the names under which faults are reported.

use app::NewAlert;
use domain::{
    ActiveHours, AlertComparison, AlertLevel, AlertMetric, AlertRecipient, AlertScope, AlertSeverity,
    AlertSplit, AlertTerms, AlertWindow, CalendarUnit, Change, EmailAddress, GivenTerms, Invalid, Name,
    NewRecipient, OutsideHours, ScheduleRule, ScopeList, TimeZone, UserId, Zone,
};
use serde_json::Value;
use texts::Language;
use web::{BodyField, Fields};

use crate::form::Kind;

/// The choice of a window that has a length, in `window`.
pub const ROLLING: &str = "rolling";

const USUAL_COOL_DOWN: i64 = 60;

/// What is judged, which a picture needs to know.
pub const TERM_KINDS: &[(&str, Kind)] = &[
    ("metric", Kind::Text),
    ("comparison", Kind::Text),
    // As people write it, so that it is read in their language.
    ("threshold", Kind::Text),
    ("window", Kind::Text),
    ("window_minutes", Kind::Number),
    ("minimum_count", Kind::Number),
    ("scope.project_ids", Kind::Numbers),
    ("scope.worksite_ids", Kind::Numbers),
    ("scope.machine_ids", Kind::Numbers),
    ("scope.person_ids", Kind::Numbers),
    ("scope.tag_ids", Kind::Numbers),
    ("scope.base_station_ids", Kind::Numbers),
    ("scope.zones", Kind::List),
    ("split_by", Kind::Text),
];

/// How people are notified.
const NOTIFICATION_KINDS: &[(&str, Kind)] = &[
    ("name", Kind::Text),
    ("active_hours.days", Kind::Numbers),
    ("active_hours.from", Kind::Text),
    ("active_hours.to", Kind::Text),
    ("active_hours.time_zone", Kind::Text),
    ("outside_hours", Kind::Text),
    ("cool_down_minutes", Kind::Number),
    ("severity", Kind::Text),
    ("recipients", Kind::Text),
    ("recipient_users", Kind::Numbers),
    ("notify_on_clear", Kind::Flag),
];

/// All fields of the form.
pub fn kinds() -> Vec<(&'static str, Kind)> {
    [TERM_KINDS, NOTIFICATION_KINDS].concat()
}

/// Reads the whole form.
pub fn read_alert(fields: &mut Fields, language: Language, enabled: bool) -> Option<NewAlert> {
    let name = fields.required("name", Name::from_json);
    let alert = read_unnamed(fields, language, enabled);
    let (name, alert) = (name?, alert?);
    if alert.recipients.is_empty() {
        let none = Invalid::new("required", "must have at least one recipient");
        return fields.add_fault("recipients", none);
    }
    Some(NewAlert { name, ..alert })
}

/// Reads the form for a dry run, which needs neither a name nor recipients.
pub fn read_trial(fields: &mut Fields, language: Language, name: &Name) -> Option<NewAlert> {
    let given = fields.optional("name", Name::from_json);
    let alert = read_unnamed(fields, language, true);
    let name = given?.unwrap_or_else(|| name.clone());
    Some(NewAlert { name, ..alert? })
}

/// An alert that judges this and notifies nobody, for the picture of a dry run.
pub fn trial(name: Name, terms: AlertTerms) -> NewAlert {
    NewAlert {
        name,
        terms,
        active_hours: None,
        outside_hours: OutsideHours::Hold,
        cool_down_minutes: USUAL_COOL_DOWN,
        severity: AlertSeverity::Warning,
        notify_on_clear: false,
        enabled: true,
        recipients: Vec::new(),
    }
}

/// Reads all fields but the name, which the caller puts in.
fn read_unnamed(fields: &mut Fields, language: Language, enabled: bool) -> Option<NewAlert> {
    let terms = read_terms(fields, language);
    let active_hours = read_hours(fields);
    let outside_hours = fields.optional("outside_hours", OutsideHours::from_json);
    let cool_down = fields.optional("cool_down_minutes", web::integer_within(0..=10_080));
    let severity = fields.optional("severity", AlertSeverity::from_json);
    let recipients = read_recipients(fields);
    let notify_on_clear = fields.optional("notify_on_clear", bool::from_json);
    let terms = terms?;
    Some(NewAlert {
        name: Name::parse(terms.metric.as_str()).ok()?,
        terms,
        active_hours: active_hours?,
        outside_hours: outside_hours?.unwrap_or(OutsideHours::Hold),
        cool_down_minutes: cool_down?.unwrap_or(USUAL_COOL_DOWN),
        severity: severity?.unwrap_or(AlertSeverity::Warning),
        notify_on_clear: notify_on_clear?.unwrap_or(false),
        enabled,
        recipients: recipients?,
    })
}

/// Reads what is judged, with the defaults of the metric.
pub fn read_terms(fields: &mut Fields, language: Language) -> Option<AlertTerms> {
    let metric = fields.required("metric", AlertMetric::from_json);
    let comparison = fields.optional("comparison", AlertComparison::from_json);
    let threshold = fields.required("threshold", |value| read_threshold(value, language));
    let window = read_window(fields);
    let minimum_count = fields.optional("minimum_count", web::integer_within(0..=100_000));
    let scope = read_scope(fields);
    let split_by = fields.optional("split_by", AlertSplit::from_json);
    let terms = GivenTerms {
        metric: metric?,
        comparison: comparison?,
        threshold: threshold?,
        window: window?,
        minimum_count: minimum_count?,
        scope: scope?,
        split_by: split_by?,
    }
    .complete();
    let faults = terms.check();
    let is_sound = faults.is_empty();
    for (field, invalid) in faults {
        let _: Option<()> = fields.add_fault(field, invalid);
    }
    is_sound.then_some(terms)
}

/// Reads a threshold as people of a language write numbers.
fn read_threshold(value: &Value, language: Language) -> Result<AlertLevel, Invalid> {
    let number = value.as_str().and_then(|text| texts::parse_decimal(language, text));
    let number = number.ok_or_else(|| Invalid::new("invalid_number", "must be a number"))?;
    AlertLevel::from_f64(number)
        .ok_or_else(|| Invalid::new("out_of_range", "must be a number within the range of the metric"))
}

/// Reads the window. The minutes of one that begins anew by the clock are left alone.
fn read_window(fields: &mut Fields) -> Option<Option<AlertWindow>> {
    let unit = fields.optional("window", |value| match value.as_str() {
        Some(ROLLING) => Ok(None),
        _ => CalendarUnit::from_json(value).map(Some),
    });
    match unit {
        Some(None | Some(None)) => {
            let minutes =
                fields.optional("window_minutes", web::integer_within(5..=AlertWindow::MAX_MINUTES))?;
            Some(minutes.map(|minutes| AlertWindow::Rolling { minutes }))
        }
        Some(Some(Some(unit))) => {
            fields.take("window_minutes");
            Some(Some(AlertWindow::Calendar(unit)))
        }
        None => {
            fields.take("window_minutes");
            None
        }
    }
}

fn read_scope(fields: &mut Fields) -> Option<AlertScope> {
    let mut ids = |list: ScopeList| read_sorted(fields, list.path(), AlertScope::MAX_IDS, web::id);
    let (projects, worksites) = (ids(ScopeList::Projects), ids(ScopeList::Worksites));
    let (machines, people) = (ids(ScopeList::Machines), ids(ScopeList::People));
    let (tags, stations) = (ids(ScopeList::Tags), ids(ScopeList::BaseStations));
    let zones = read_sorted(fields, ScopeList::Zones.path(), Zone::ALL.len(), |value| {
        web::text(|text: &str| Zone::parse(text).map(|zone| zone.as_str().to_owned()))(value)
    });
    Some(AlertScope {
        project_ids: projects?,
        worksite_ids: worksites?,
        machine_ids: machines?,
        person_ids: people?,
        tag_ids: tags?,
        base_station_ids: stations?,
        zones: zones?,
    })
}

/// Reads a list, sorted and with each item once.
fn read_sorted<T: Ord>(
    fields: &mut Fields,
    name: &str,
    max_items: usize,
    read: impl Fn(&Value) -> Result<T, Invalid>,
) -> Option<Vec<T>> {
    let given =
        fields.change_list(name, max_items, |fields, path, value| fields.item(path, &value, &read))?;
    let mut items = match given {
        Change::Set(items) => items,
        Change::Keep => Vec::new(),
    };
    items.sort_unstable();
    items.dedup();
    Some(items)
}

/// Reads the hours. Without any entry there are none; no days are all of them, and a blank time is midnight.
fn read_hours(fields: &mut Fields) -> Option<Option<ActiveHours>> {
    let days = read_sorted(fields, "active_hours.days", 7, read_day);
    let from = fields.optional("active_hours.from", web::text(ScheduleRule::parse_time));
    let to = fields.optional("active_hours.to", web::text(ScheduleRule::parse_time));
    let time_zone = fields.optional("active_hours.time_zone", TimeZone::from_json);
    let (days, from, to, time_zone) = (days?, from?, to?, time_zone?);
    if days.is_empty() && from.is_none() && to.is_none() {
        return Some(None);
    }
    let days = if days.is_empty() { (1..=7).collect() } else { days };
    let (from_minute, to_minute) = (from.unwrap_or(0), to.unwrap_or(0));
    Some(Some(ActiveHours { days, from_minute, to_minute, time_zone }))
}

fn read_day(value: &Value) -> Result<i64, Invalid> {
    web::integer_within(1..=7)(value)
}

/// Reads the addresses, one on each line, and the users. An address that is there twice counts once.
fn read_recipients(fields: &mut Fields) -> Option<Vec<NewRecipient>> {
    let text = fields.optional("recipients", web::text(|text: &str| Ok(text.to_owned())));
    let users = read_sorted(fields, "recipient_users", AlertRecipient::MAX, web::id);
    let text = text?.unwrap_or_default();
    let lines = text.split(['\n', ',', ';']).map(str::trim).filter(|line| !line.is_empty());
    let mut addresses: Vec<EmailAddress> = Vec::new();
    let mut is_sound = true;
    for (index, line) in lines.enumerate() {
        match EmailAddress::parse(line) {
            Ok(address) if addresses.iter().any(|known| known.key() == address.key()) => {}
            Ok(address) => addresses.push(address),
            Err(invalid) => {
                let _: Option<()> = fields.add_fault(&format!("recipients.{index}"), invalid);
                is_sound = false;
            }
        }
    }
    let addresses = addresses.into_iter().map(NewRecipient::Address);
    let users = users?.into_iter().map(|id| NewRecipient::User(UserId(id)));
    let recipients: Vec<NewRecipient> = addresses.chain(users).collect();
    if recipients.len() > AlertRecipient::MAX {
        let most = format!("must be at most {}", AlertRecipient::MAX);
        return fields.add_fault("recipients", Invalid::new("too_many", most));
    }
    is_sound.then_some(recipients)
}
