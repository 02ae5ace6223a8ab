//! What the form of an alert is filled with.

use app::AlertView;
use domain::{AlertMetric, AlertSeverity, AlertWindow, OutsideHours, ScheduleRule};

use super::fields::ROLLING;
use super::scope;
use crate::form::FormView;
use crate::frame::Frame;

/// The form of a new alert with the usual values of a metric, to the reader themselves.
pub fn fresh(frame: &Frame, metric: AlertMetric) -> FormView {
    let own = frame.identity().map(|identity| identity.user.to_string());
    FormView::new(vec![
        ("severity", AlertSeverity::Warning.as_str().to_owned()),
        ("outside_hours", OutsideHours::Hold.as_str().to_owned()),
        ("recipient_users", own.unwrap_or_default()),
        ("window", metric.default_window().map(|_| ROLLING.to_owned()).unwrap_or_default()),
    ])
}

/// The fields of a stored alert. Those that belong to its metric are left out if another one was chosen.
pub fn stored(frame: &Frame, alert: &AlertView, metric: AlertMetric) -> Vec<(&'static str, String)> {
    let (rule, terms) = (&alert.rule, &alert.rule.terms);
    let mut pairs = vec![
        ("metric", metric.as_str().to_owned()),
        ("name", rule.name.clone()),
        ("outside_hours", rule.outside_hours.as_str().to_owned()),
        ("cool_down_minutes", rule.cool_down_minutes.to_string()),
        ("severity", rule.severity.as_str().to_owned()),
    ];
    if metric == terms.metric {
        pairs.push(("comparison", terms.comparison.as_str().to_owned()));
        // As the form reads it, without separators of thousands: another language might take those for decimals.
        let (_, point) = frame.language.separators();
        pairs.push(("threshold", terms.threshold.to_string().replace('.', &point.to_string())));
        pairs.push(("split_by", terms.split_by.as_str().to_owned()));
        pairs.extend(terms.minimum_count.map(|count| ("minimum_count", count.to_string())));
        match terms.window {
            Some(AlertWindow::Rolling { minutes }) => {
                pairs.extend([("window", ROLLING.to_owned()), ("window_minutes", minutes.to_string())]);
            }
            Some(AlertWindow::Calendar(unit)) => pairs.push(("window", unit.as_str().to_owned())),
            None => {}
        }
    }
    for list in scope::lists(metric) {
        pairs.extend(scope::values_of(&terms.scope, list).into_iter().map(|value| (list.path(), value)));
    }
    if let Some(hours) = &rule.active_hours {
        pairs.extend(hours.days.iter().map(|day| ("active_hours.days", day.to_string())));
        pairs.push(("active_hours.from", ScheduleRule::format_time(hours.from_minute)));
        pairs.push(("active_hours.to", ScheduleRule::format_time(hours.to_minute)));
        pairs.extend(hours.time_zone.as_ref().map(|zone| ("active_hours.time_zone", zone.to_string())));
    }
    if rule.notify_on_clear {
        pairs.push(("notify_on_clear", "true".to_owned()));
    }
    let addresses: Vec<&str> = alert.recipients.iter().filter_map(|one| one.email.as_deref()).collect();
    pairs.push(("recipients", addresses.join("\n")));
    let users = alert.recipients.iter().filter_map(|one| one.user);
    pairs.extend(users.map(|user| ("recipient_users", user.to_string())));
    pairs
}
