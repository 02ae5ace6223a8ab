//! The chart of a mail: how the metric went before an alarm, with its threshold.

use std::sync::Arc;

use charts::ChartOptions;
use domain::insights::Interval;
use domain::{
    AlertFiring, AlertRule, AlertSplit, AlertWindow, CalendarUnit, FiringSubject, MetricSource, ProjectId,
    Span, SplitKey, TimeZone, Timestamp,
};
use store::{Projects, Scope};
use texts::Language;

use super::dry_run::{AlertSeries, FactSource, buckets, draw_series};
use super::evaluation::LoadedRule;
use crate::insights::QueryScope;
use crate::insights::chart_images::language_options;
use crate::{App, Error};

/// Windows before the alarm that are shown.
const WINDOWS: i64 = 12;
const DAY: i64 = 24 * 60;
/// A chart has at least a point for each hour of half a day.
const LEAST_MINUTES: i64 = 60;
/// Shorter windows are shown by the hour.
const MAX_HOURLY: i64 = 4 * 60;
/// Shorter windows are shown by the day, longer ones by the week.
const MAX_DAILY: i64 = 5 * DAY;
/// As wide as mails show it, so that its letters have the size that they were drawn with. In a lower chart they would be smaller.
const WIDTH: u32 = 560;
const HEIGHT: u32 = 320;
/// Pixels for one unit of the chart, so that it is sharp on most screens.
const SCALE: f32 = 2.0;

impl App {
    /// Returns the worst value of each hour, day or week over twelve windows before a firing as PNG, with its description, as far as a
    /// reader may see them. None if there is nothing to show: the past of tags, stations and visits is not drawn, and neither is a rule
    /// that measures something else by now.
    pub(crate) async fn firing_chart(
        &self,
        reader: QueryScope<'_>,
        rule: &AlertRule,
        firing: &AlertFiring,
        language: Language,
    ) -> Result<Option<(Vec<u8>, String)>, Error> {
        let source = firing.metric.source();
        let split = split_of(rule.terms.split_by, &firing.split_key, &firing.subject);
        let Some(split) = split.filter(|_| rule.terms.metric == firing.metric) else { return Ok(None) };
        if source == MetricSource::Rows {
            return Ok(None);
        }
        let brand = reader.scope.brand();
        let projects = self.projects_of_reader(reader.scope, rule).await?;
        let clocks = Arc::new(self.load_site_clocks(brand).await?);
        let (interval, length) = extent(rule.terms.window);
        let zone = &firing.time_zone;
        let days = buckets(interval, (firing.fired_at - length, firing.fired_at), zone);
        let parts: Vec<Timestamp> = days.iter().map(|bucket| bucket.begins_at).collect();
        let Some(from) = parts.first().copied() else { return Ok(None) };
        let period = (from, firing.fired_at);
        let mut loaded = LoadedRule { rule: rule.clone(), projects, stopped: None };
        let replayed = match source {
            MetricSource::Columns => {
                let clock = zone.clone();
                let source = FactSource { rule: loaded, clocks, period, only: Some(split), clock };
                self.replay_facts(brand, source, parts).await?
            }
            MetricSource::Weeks | MetricSource::Rows => {
                let scope = &mut loaded.rule.terms.scope;
                match (rule.terms.split_by, split.ids()) {
                    (AlertSplit::Machine, [machine]) => scope.machine_ids = vec![*machine],
                    (AlertSplit::Worksite, [worksite]) => scope.worksite_ids = vec![*worksite],
                    _ => {}
                }
                self.replay_weeks(brand, &loaded, &clocks, period, parts).await?
            }
        };
        if replayed.worst.iter().all(Option::is_none) {
            return Ok(None);
        }
        let series = AlertSeries {
            metric: firing.metric,
            threshold: firing.threshold,
            interval,
            points: AlertSeries::points(interval, period, zone, replayed.worst),
            no_data: None,
        };
        let options = ChartOptions {
            title: rule.name.clone(),
            subtitle: Some(subtitle(language, interval, zone)),
            width: WIDTH,
            height: HEIGHT,
            ..language_options(language)
        };
        let drawn = self.compute(move || {
            let svg = draw_series(&series, language, &options);
            documents::draw_png(&svg, SCALE).map(|png| (png, charts::description_of(&svg)))
        });
        drawn.await?.map(Some).map_err(Error::internal)
    }

    /// Returns the projects that a rule counts and a reader sees.
    async fn projects_of_reader(&self, reader: &Scope, rule: &AlertRule) -> Result<Projects, Error> {
        if rule.all_projects {
            return Ok(reader.projects().clone());
        }
        let scope = self.scope_of(reader.brand());
        let rows = self.store.read().await?.alert_rules(&scope).projects(&[rule.id]).await?;
        let is_seen = |project: &ProjectId| match reader.projects() {
            Projects::All => true,
            Projects::Only(seen) => seen.contains(project),
        };
        Ok(Projects::Only(rows.into_iter().map(|(_, project)| project).filter(is_seen).collect()))
    }
}

fn subtitle(language: Language, interval: Interval, zone: &TimeZone) -> String {
    let unit = match interval {
        Interval::Hour => texts::charts::HOUR,
        Interval::Day => texts::charts::DAY,
        Interval::Week => texts::charts::WEEK,
        Interval::Month => texts::charts::MONTH,
    };
    let values = [("unit", unit.get(language)), ("zone", zone.as_str())];
    texts::charts::ALERT_WORST_OF.fill(language, &values)
}

/// Returns the split of a firing; none if it is not known any more. What is only shown as an example has no key, but a subject.
fn split_of(split_by: AlertSplit, key: &SplitKey, subject: &FiringSubject) -> Option<SplitKey> {
    if split_by == AlertSplit::None {
        return Some(SplitKey::new(Vec::new()));
    }
    if !key.ids().is_empty() {
        return Some(key.clone());
    }
    let ids = match split_by {
        AlertSplit::None => Vec::new(),
        AlertSplit::Project => vec![subject.project?.0],
        AlertSplit::Worksite => vec![subject.worksite?.0],
        AlertSplit::Machine => vec![subject.machine?.0],
        AlertSplit::BaseStation => vec![subject.base_station?.0],
        AlertSplit::Person => vec![subject.person?.0],
        AlertSplit::Tag => vec![subject.tag?.0],
        AlertSplit::Pair => vec![subject.machine?.0, subject.person?.0],
    };
    Some(SplitKey::new(ids))
}

/// Returns the steps of a chart, and how far it goes back.
fn extent(window: Option<AlertWindow>) -> (Interval, Span) {
    let (interval, minutes) = match window {
        Some(AlertWindow::Rolling { minutes }) if minutes <= MAX_HOURLY => (Interval::Hour, minutes),
        Some(AlertWindow::Rolling { minutes }) if minutes <= MAX_DAILY => (Interval::Day, minutes),
        Some(AlertWindow::Rolling { minutes }) => (Interval::Week, minutes),
        Some(AlertWindow::Calendar(CalendarUnit::Day)) => (Interval::Day, DAY),
        Some(AlertWindow::Calendar(CalendarUnit::Week)) | None => (Interval::Week, 7 * DAY),
    };
    (interval, Span::minutes(minutes.max(LEAST_MINUTES) * WINDOWS))
}

#[cfg(test)]
mod tests {
    use domain::{MachineId, PersonId};

    use super::*;

    #[test]
    fn a_chart_has_twelve_windows() {
        let rolling = |minutes| extent(Some(AlertWindow::Rolling { minutes }));
        assert_eq!(rolling(5), (Interval::Hour, Span::minutes(12 * 60)));
        assert_eq!(rolling(60), (Interval::Hour, Span::minutes(12 * 60)));
        assert_eq!(rolling(240), (Interval::Hour, Span::minutes(48 * 60)));
        assert_eq!(rolling(1_440), (Interval::Day, Span::minutes(12 * 1_440)));
        assert_eq!(rolling(43_200), (Interval::Week, Span::minutes(360 * 1_440)));
        let day = Some(AlertWindow::Calendar(CalendarUnit::Day));
        assert_eq!(extent(day), (Interval::Day, Span::minutes(12 * 1_440)));
        assert_eq!(extent(None), (Interval::Week, Span::minutes(84 * 1_440)));
    }

    #[test]
    fn the_split_comes_from_the_key_or_else_from_the_subject() {
        let subject = FiringSubject {
            machine: Some(MachineId(5)),
            person: Some(PersonId(7)),
            ..FiringSubject::default()
        };
        let none = SplitKey::new(Vec::new());
        let key = SplitKey::new(vec![9]);
        assert_eq!(split_of(AlertSplit::Machine, &key, &subject), Some(key.clone()));
        assert_eq!(split_of(AlertSplit::Machine, &none, &subject), Some(SplitKey::new(vec![5])));
        assert_eq!(split_of(AlertSplit::Pair, &none, &subject), Some(SplitKey::new(vec![5, 7])));
        assert_eq!(split_of(AlertSplit::Tag, &none, &subject), None);
        assert_eq!(split_of(AlertSplit::None, &none, &subject), Some(none));
    }
}
