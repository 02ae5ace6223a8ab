//! The form of an alert: `alerts/form.html` shows it on the pages of a new and of a changed one, and below a dry run.

use app::{AlertView, App, Error};
use domain::access::ManageUsers;
use domain::{
    AlertComparison, AlertLevel, AlertMetric, AlertRuleId, AlertSeverity, AlertUnit, AlertWindow,
    CalendarUnit, OutsideHours, PageRequest, ScopeList, UserFilter, UserState,
};
use texts::console::alert_words as words;
use texts::console::alerts as t;
use texts::{Text, alerts, values};

use super::fields::ROLLING;
use super::scope;
use crate::form::FormView;
use crate::frame::Frame;
use crate::parts::{Choice, Field, Input};

/// The maximum number of users that can be chosen.
const MAX_USERS: u16 = 500;
const HOURS_FIELDS: [&str; 4] =
    ["active_hours.days", "active_hours.from", "active_hours.to", "active_hours.time_zone"];

/// A form that saves an alert, or tries it on the past.
pub struct AlertForm {
    /// Where it is saved.
    pub to: String,
    pub save: &'static str,
    pub cancel: String,
    pub metric: &'static str,
    pub metric_name: &'static str,
    pub about: &'static str,
    /// The page on which another metric is chosen.
    pub other_metric: String,
    /// The alert that is changed, with the version that the form was filled from.
    pub alert: Option<(AlertRuleId, i64)>,
    pub once: String,
    pub notice: Option<String>,
    pub other_faults: Vec<String>,
    pub judged: Vec<Field>,
    pub scope: Vec<ScopeField>,
    pub notification: Vec<Field>,
    pub hours: Vec<Field>,
    pub are_hours_open: bool,
    pub recipients: Vec<Field>,
}

/// A list of records that can be chosen.
pub struct ScopeField {
    pub label: &'static str,
    /// How many are chosen.
    pub chosen: String,
    pub is_open: bool,
    pub field: Field,
}

/// What a form is for: a new alert, or the change of one.
pub enum Purpose<'a> {
    New,
    Change(&'a AlertView),
}

impl AlertForm {
    pub async fn load(
        app: &App,
        frame: &Frame,
        view: &FormView,
        metric: AlertMetric,
        purpose: Purpose<'_>,
    ) -> Result<Self, Error> {
        let stored = match purpose {
            Purpose::New => None,
            Purpose::Change(stored) => Some(stored),
        };
        let judged = judged_fields(frame, view, metric);
        let mut scope = Vec::new();
        for list in scope::lists(metric) {
            scope.push(scope_field(app, frame, view, list).await?);
        }
        let (notification, hours) = (notification_fields(frame, view), hours_fields(frame, view));
        let recipients = recipient_fields(frame, view, user_choices(app, frame, stored).await?);
        let shown: Vec<&str> = [&judged, &notification, &hours, &recipients]
            .into_iter()
            .flatten()
            .chain(scope.iter().map(|list| &list.field))
            .map(|field| field.name)
            .collect();
        let (to, cancel, other_metric, save) = match stored {
            None => ("/alerts/new".to_owned(), "/alerts".to_owned(), "/alerts/new".to_owned(), t::CREATE),
            Some(AlertView { rule, .. }) => {
                let page = format!("/alerts/{}", rule.id);
                (format!("{page}/edit"), page.clone(), format!("{page}/edit?metric=choose"), t::SAVE)
            }
        };
        Ok(Self {
            to,
            save: frame.text(save),
            cancel,
            metric: metric.as_str(),
            metric_name: words::metric(frame.language, metric.as_str()),
            about: words::about_metric(frame.language, metric.as_str()),
            other_metric,
            alert: stored.map(|stored| (stored.rule.id, view.version(stored.rule.version))),
            once: frame.once(),
            notice: view.notice.clone(),
            other_faults: view.other_faults(frame, &shown),
            // What somebody else has changed must be seen.
            are_hours_open: view.current().is_some()
                || HOURS_FIELDS
                    .iter()
                    .any(|name| !view.value(name).is_empty() || view.fault(frame, name).is_some()),
            judged,
            scope,
            notification,
            hours,
            recipients,
        })
    }
}

/// The fields of what is judged, as far as the metric has them.
fn judged_fields(frame: &Frame, view: &FormView, metric: AlertMetric) -> Vec<Field> {
    let language = frame.language;
    let field = |name, label, input| Field::new(frame, view, name, label, input);
    let comparisons = metric.comparisons().iter().map(|comparison| {
        let text = match comparison {
            AlertComparison::Above => t::ABOVE,
            AlertComparison::Below => t::BELOW,
        };
        Choice::new(comparison.as_str(), frame.text(text))
    });
    let splits = metric.splits().iter().map(|split| split.as_str());
    let splits = splits.map(|split| Choice::new(split, words::split(language, split)));
    let mut fields = vec![
        field("name", t::NAME, Input::Text).required().hint(frame.text(t::NAME_HINT)),
        field("comparison", t::COMPARISON, Input::Select(comparisons.collect())),
        field("threshold", t::THRESHOLD, Input::Text).required().hint(threshold_hint(frame, metric)),
    ];
    if let Some(least) = metric.least_window_minutes() {
        let windows = vec![
            Choice::new(ROLLING, frame.text(t::WINDOW_ROLLING)),
            Choice::new(CalendarUnit::Day.as_str(), frame.text(t::WINDOW_DAY)),
            Choice::new(CalendarUnit::Week.as_str(), frame.text(t::WINDOW_WEEK)),
        ];
        fields.push(field("window", t::WINDOW, Input::Select(windows)));
        let usual = match metric.default_window() {
            Some(AlertWindow::Rolling { minutes }) => minutes,
            _ => least,
        };
        let usual = frame.formats().integer(usual);
        let hint = frame.fill(t::WINDOW_MINUTES_HINT, &[("usual", &usual)]);
        let minutes = Input::Number { min: least, max: AlertWindow::MAX_MINUTES };
        fields.push(field("window_minutes", t::WINDOW_MINUTES, minutes).hint(hint));
    }
    if let Some((min, max)) = metric.minimum_count_range() {
        let count = field("minimum_count", t::MINIMUM_COUNT, Input::Number { min, max });
        fields.push(count.hint(frame.text(t::MINIMUM_COUNT_HINT)));
    }
    fields.push(field("split_by", t::SPLIT, Input::Select(splits.collect())).hint(frame.text(t::SPLIT_HINT)));
    fields
}

/// Says in which unit a threshold is, and from where to where it can be.
fn threshold_hint(frame: &Frame, metric: AlertMetric) -> String {
    let unit = match metric.unit() {
        AlertUnit::Count => t::IN_INCURSIONS,
        AlertUnit::Ratio => t::IN_SHARE,
        AlertUnit::PerHour => t::IN_PER_HOUR,
        AlertUnit::Seconds => t::IN_SECONDS,
        AlertUnit::Days => t::IN_DAYS,
        AlertUnit::Percent => t::IN_PERCENT,
        AlertUnit::Minutes => t::IN_MINUTES,
    };
    let range = threshold_ranges(frame, metric).join(", ");
    frame.fill(t::THRESHOLD_HINT, &[("unit", frame.text(unit)), ("range", &range)])
}

/// Writes from where to where a threshold can be: once, or for each comparison if it is not the same.
fn threshold_ranges(frame: &Frame, metric: AlertMetric) -> Vec<String> {
    let comparisons = metric.comparisons();
    let range_of = |comparison: AlertComparison| metric.threshold_range(comparison);
    let write = |text: Text, (from, to): (AlertLevel, AlertLevel)| {
        let number = |level: AlertLevel| texts::exact(frame.language, level.as_f64());
        frame.fill(text, &[("from", &number(from)), ("to", &number(to))])
    };
    let Some((first, others)) = comparisons.split_first() else { return Vec::new() };
    if others.iter().all(|other| range_of(*other) == range_of(*first)) {
        return vec![write(t::RANGE, range_of(*first))];
    }
    let range = |comparison: &AlertComparison| match comparison {
        AlertComparison::Above => write(t::RANGE_ABOVE, range_of(*comparison)),
        AlertComparison::Below => write(t::RANGE_BELOW, range_of(*comparison)),
    };
    comparisons.iter().map(range).collect()
}

async fn scope_field(
    app: &App,
    frame: &Frame,
    view: &FormView,
    list: ScopeList,
) -> Result<ScopeField, Error> {
    let name = list.path();
    let chosen = view.values(name);
    let choices = scope::choices(app, frame, list, &chosen).await?;
    let label = scope::label(list);
    let number = i64::try_from(chosen.len()).unwrap_or(i64::MAX);
    Ok(ScopeField {
        label: frame.text(label),
        chosen: match chosen.is_empty() {
            true => frame.text(t::ANY).to_owned(),
            false => frame.formats().integer(number),
        },
        is_open: !chosen.is_empty() || view.current().is_some() || view.fault(frame, name).is_some(),
        field: Field::new(frame, view, name, label, Input::Checks(choices)),
    })
}

fn notification_fields(frame: &Frame, view: &FormView) -> Vec<Field> {
    let field = |name, label, input| Field::new(frame, view, name, label, input);
    let severities = AlertSeverity::ALL
        .map(|severity| Choice::new(severity.as_str(), alerts::severity(frame.language, severity.as_str())));
    vec![
        field("severity", t::SEVERITY, Input::Select(severities.into())),
        field("cool_down_minutes", t::COOL_DOWN, Input::Number { min: 0, max: 10_080 })
            .hint(frame.text(t::COOL_DOWN_HINT)),
        field("notify_on_clear", t::NOTIFY_ON_CLEAR, Input::Flag),
    ]
}

fn hours_fields(frame: &Frame, view: &FormView) -> Vec<Field> {
    let field = |name, label: Text, input| Field::new(frame, view, name, label, input);
    let days = (1..=7_i64).map(|day| Choice::new(day.to_string(), values::weekday(frame.language, day - 1)));
    let outside = vec![
        Choice::new(OutsideHours::Hold.as_str(), frame.text(t::HOLD)),
        Choice::new(OutsideHours::Drop.as_str(), frame.text(t::DROP)),
    ];
    vec![
        field("active_hours.days", t::DAYS, Input::Checks(days.collect())),
        field("active_hours.from", t::FROM, Input::Text).hint(frame.text(t::TIME_HINT)),
        field("active_hours.to", t::TO, Input::Text).hint(frame.text(t::TO_HINT)),
        field("active_hours.time_zone", t::TIME_ZONE, Input::Text).hint(frame.text(t::TIME_ZONE_HINT)),
        field("outside_hours", t::OUTSIDE_HOURS, Input::Select(outside)),
    ]
}

fn recipient_fields(frame: &Frame, view: &FormView, users: Vec<Choice>) -> Vec<Field> {
    vec![
        Field::new(frame, view, "recipient_users", t::USERS, Input::Checks(users)),
        Field::new(frame, view, "recipients", t::ADDRESSES, Input::Area { rows: 3 })
            .hint(frame.text(t::ADDRESSES_HINT)),
    ]
}

/// The users who can be notified: all for those who manage users, otherwise the reader; and those who are notified already.
async fn user_choices(app: &App, frame: &Frame, stored: Option<&AlertView>) -> Result<Vec<Choice>, Error> {
    let mut choices = Vec::new();
    if let Some(identity) = frame.identity() {
        let manages = frame.caller::<ManageUsers>().ok().filter(|_| identity.project_ids().is_none());
        match manages {
            Some(caller) => {
                let filter = UserFilter { state: Some(UserState::Active), ..UserFilter::default() };
                let page = PageRequest { limit: MAX_USERS, after: None };
                let (found, _) = app.list_users(&caller, &filter, &page, false).await?;
                let users = found.rows.into_iter();
                choices.extend(users.map(|(user, _)| Choice::new(user.id.to_string(), user.name)));
            }
            None => choices.push(Choice::new(identity.user.to_string(), identity.name.clone())),
        }
    }
    for recipient in stored.map(|stored| stored.recipients.as_slice()).unwrap_or_default() {
        let Some(user) = recipient.user else { continue };
        let value = user.to_string();
        if choices.iter().all(|choice| choice.value != value) {
            let name = recipient.user_name.clone();
            let name = name.unwrap_or_else(|| frame.fill(t::USER_NUMBER, &[("id", &value)]));
            choices.push(Choice::new(value, name));
        }
    }
    Ok(choices)
}

#[cfg(test)]
mod tests {
    use texts::Language;
    use texts::console::faults;

    use super::*;

    /// Returns the last part of a field's name, by which a fault of it is named.
    fn last_part(name: &str) -> &str {
        name.rsplit('.').next().unwrap_or(name)
    }

    /// The hint must not offer what is refused.
    #[test]
    fn a_hint_names_the_range_of_each_comparison() {
        let hint = |language, metric| threshold_hint(&crate::frame::sample(language, "/"), metric);
        assert_eq!(
            hint(Language::English, AlertMetric::Incursions),
            "A number of incursions, at and above the threshold from 1 to 1,000,000, at and below the threshold \
             from 0 to 1,000,000."
        );
        let seconds = hint(Language::German, AlertMetric::LongIncursion);
        assert_eq!(seconds, "Sekunden, von 1 bis 86.400.");
    }

    /// A metric hides fields that another one has, and a fault of a hidden field must be found on the form of the other.
    #[test]
    fn a_fault_calls_a_field_as_the_form_does() {
        for language in [Language::English, Language::German] {
            let frame = crate::frame::sample(language, "/");
            let view = FormView::new(Vec::new());
            let judged = AlertMetric::ALL.into_iter().flat_map(|metric| judged_fields(&frame, &view, metric));
            let others = notification_fields(&frame, &view).into_iter().chain(hours_fields(&frame, &view));
            for field in judged.chain(others) {
                let name = faults::field(language, last_part(field.name)).unwrap_or(field.name);
                let shown = field.to_string();
                let labels = [format!(">{name}<"), format!("> {name}<")];
                assert!(labels.iter().any(|label| shown.contains(label)), "{name} in {shown}");
            }
            for list in ScopeList::ALL {
                assert_eq!(faults::field(language, list.field()), Some(scope::label(list).get(language)));
            }
        }
    }
}
