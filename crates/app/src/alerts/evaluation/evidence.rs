//! What a value is made of: the newest incursions, and where they were.

use domain::insights::IncursionFilter;
use domain::{
    AlertComparison, AlertMetric, AlertSplit, AlertWindow, BaseStationId, BrandId, Direction, FiringSubject,
    IncursionId, IncursionRow, MachineId, Period, PeriodBound, PersonId, ProjectId, Review, Span, TagId,
    Timestamp, Window, WindowPosition, WorksiteId,
};
use store::Tx;

use super::plan::{least_ms, window_of};
use super::questions::{CalendarStart, counts_until};
use super::zones::SiteClocks;
use super::{LoadedRule, Measured};
use crate::{App, Error};

/// Incursions that a firing names.
const MAX_NAMED: u16 = 20;
/// Incursions among which the longest is looked for.
const MAX_COMPARED: u16 = 200;

/// The incursions that a value is made of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Evidence {
    /// Newest first.
    pub incursions: Vec<IncursionId>,
    /// Where all of them were.
    pub worksite: Option<WorksiteId>,
    pub project: Option<ProjectId>,
}

impl Evidence {
    /// Adds where it was to what is known of a firing.
    pub fn complete(&self, mut subject: FiringSubject) -> FiringSubject {
        subject.worksite = subject.worksite.or(self.worksite);
        subject.project = subject.project.or(self.project);
        subject
    }
}

impl App {
    /// Finds the incursions of a split that is beyond the threshold, as far as the owner of the rule sees them.
    pub(super) async fn find_evidence(
        &self,
        tx: &mut Tx,
        brand: BrandId,
        rule: &LoadedRule,
        measured: &Measured,
        (clocks, now): (&SiteClocks, Timestamp),
    ) -> Result<Evidence, Error> {
        let at = now - Span::seconds(rule.rule.terms.metric.lag_s());
        let start = match window_of(&rule.rule.terms) {
            AlertWindow::Calendar(unit) => Some(CalendarStart::new(unit, at, clocks)),
            AlertWindow::Rolling { .. } => None,
        };
        let scope = self.platform.scope(brand, rule.projects.clone());
        let filter = filter_of(rule, measured, (start.as_ref(), at, now));
        let size = match rule.rule.terms.metric {
            AlertMetric::LongIncursion => MAX_COMPARED,
            _ => MAX_NAMED,
        };
        let window = Window { size, position: WindowPosition::Start };
        let found = tx
            .incursion_pages(&scope)
            .slice_without_names(&filter, now, Direction::Descending, &window)
            .await?;
        let is_whole = found.next.is_none();
        let rows: Vec<(IncursionId, IncursionRow)> = found
            .rows
            .into_iter()
            .map(|listed| (listed.incursion.stored.id, listed.incursion.stored.row))
            .filter(|(_, row)| {
                let worksite = row.attribution.worksite.map(|id| id.0);
                start.as_ref().is_none_or(|start| start.includes(worksite, row.attribution.local_day))
            })
            .collect();
        Ok(summarize(&rows, is_whole, rule.rule.terms.metric))
    }
}

fn summarize(rows: &[(IncursionId, IncursionRow)], is_whole: bool, metric: AlertMetric) -> Evidence {
    let newest = rows.iter().take(usize::from(MAX_NAMED));
    let mut incursions: Vec<IncursionId> = newest.map(|(id, _)| *id).collect();
    if metric == AlertMetric::LongIncursion {
        let longest = rows.iter().filter_map(|(id, row)| Some((row.ended_at? - row.started_at, *id))).max();
        if let Some((_, id)) = longest
            && !incursions.contains(&id)
            && let Some(last) = incursions.last_mut()
        {
            *last = id;
        }
    }
    let worksite = shared(rows.iter().map(|(_, row)| row.attribution.worksite));
    let project = shared(rows.iter().map(|(_, row)| row.attribution.project));
    Evidence { incursions, worksite: worksite.filter(|_| is_whole), project: project.filter(|_| is_whole) }
}

/// Returns the value that all have.
fn shared<T: PartialEq>(mut values: impl Iterator<Item = Option<T>>) -> Option<T> {
    let first = values.next()??;
    values.all(|value| value.as_ref() == Some(&first)).then_some(first)
}

/// Returns the filter that finds the incursions of a split.
fn filter_of(
    rule: &LoadedRule,
    measured: &Measured,
    (start, at, now): (Option<&CalendarStart>, Timestamp, Timestamp),
) -> IncursionFilter {
    let terms = &rule.rule.terms;
    let scope = &terms.scope;
    let from = match (window_of(terms), start) {
        (AlertWindow::Rolling { minutes }, _) => PeriodBound::Instant(at - Span::minutes(minutes)),
        (_, Some(start)) => PeriodBound::Day(start.earliest()),
        (_, None) => PeriodBound::Instant(at),
    };
    let mut filter = IncursionFilter {
        period: Some(Period { from: Some(from), to: Some(counts_until(now, terms.metric.lag_s())) }),
        projects: scope.project_ids.iter().copied().map(ProjectId).collect(),
        worksites: scope.worksite_ids.iter().copied().map(WorksiteId).collect(),
        machines: scope.machine_ids.iter().copied().map(MachineId).collect(),
        base_stations: scope.base_station_ids.iter().copied().map(BaseStationId).collect(),
        people: scope.person_ids.iter().copied().map(PersonId).collect(),
        tags: scope.tag_ids.iter().copied().map(TagId).collect(),
        zones: scope.zones(),
        acknowledged: match (terms.metric, terms.comparison) {
            (AlertMetric::UnacknowledgedIncursions, _) => Some(false),
            // What made the rate fall, or rise.
            (AlertMetric::AcknowledgementRate, AlertComparison::Below) => Some(false),
            (AlertMetric::AcknowledgementRate, AlertComparison::Above) => Some(true),
            _ => None,
        },
        min_duration: (terms.metric == AlertMetric::LongIncursion).then(|| Span::millis(least_ms(terms))),
        reviews: Review::COUNTED.to_vec(),
        ..IncursionFilter::default()
    };
    match (terms.split_by, measured.split.ids()) {
        (AlertSplit::Project, [id]) => filter.projects = vec![ProjectId(*id)],
        (AlertSplit::Worksite, [id]) => filter.worksites = vec![WorksiteId(*id)],
        (AlertSplit::Machine, [id]) => filter.machines = vec![MachineId(*id)],
        (AlertSplit::BaseStation, [id]) => filter.base_stations = vec![BaseStationId(*id)],
        (AlertSplit::Person, [id]) => filter.pedestrians = vec![PersonId(*id)],
        (AlertSplit::Tag, [id]) => filter.tags = vec![TagId(*id)],
        (AlertSplit::Pair, [machine, person]) => {
            filter.machines = vec![MachineId(*machine)];
            filter.pedestrians = vec![PersonId(*person)];
        }
        _ => {}
    }
    filter
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_counts_if_all_share_it() {
        assert_eq!(shared([Some(1), Some(1)].into_iter()), Some(1));
        assert_eq!(shared([Some(1), Some(2)].into_iter()), None);
        assert_eq!(shared([Some(1), None].into_iter()), None);
        assert_eq!(shared::<i64>([None, None].into_iter()), None);
        assert_eq!(shared::<i64>(std::iter::empty()), None);
    }
}
