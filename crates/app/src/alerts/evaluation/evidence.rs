//! What a value is made of: the newest incursions, and where they were.

use domain::insights::IncursionFilter;
use domain::{
    AlertComparison, AlertMetric, AlertSplit, BaseStationId, FiringSubject, IncursionId, MachineId, Period,
    PeriodBound, PersonId, ProjectId, Review, Span, TagId, Timestamp, WorksiteId,
};
use store::{EvidenceRequest, EvidenceRow, Scope};

use super::plan::{WindowStart, least_ms, window_end};
use super::questions::counts_until;
use super::{LoadedRule, Measured};

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
    /// When the newest of them began.
    pub newest_at: Option<Timestamp>,
}

impl Evidence {
    /// Adds where it was to what is known of a firing.
    pub fn complete(&self, mut subject: FiringSubject) -> FiringSubject {
        subject.worksite = subject.worksite.or(self.worksite);
        subject.project = subject.project.or(self.project);
        subject
    }

    /// Extends a window by what counts although it is after its end, because the clock of a device is ahead.
    pub fn extend(&self, (from, to): (Option<Timestamp>, Timestamp)) -> (Option<Timestamp>, Timestamp) {
        match self.newest_at {
            Some(newest) if newest > to => (from, newest + Span::from_micros(1)),
            _ => (from, to),
        }
    }
}

/// What is looked for as the evidence of a crossing.
pub(super) fn request_of(
    rule: &LoadedRule,
    measured: &Measured,
    scope: Scope,
    (start, now): (WindowStart, Timestamp),
) -> EvidenceRequest {
    let limit = match rule.rule.terms.metric {
        AlertMetric::LongIncursion => MAX_COMPARED,
        _ => MAX_NAMED,
    };
    EvidenceRequest { scope, filter: filter_of(rule, measured, (start, now)), limit }
}

/// Puts together what was found for a request, which is one more than wanted if there are more.
pub(super) fn evidence_of(request: &EvidenceRequest, rows: &[EvidenceRow], metric: AlertMetric) -> Evidence {
    let limit = usize::from(request.limit);
    summarize(&rows[..rows.len().min(limit)], rows.len() <= limit, metric)
}

fn summarize(rows: &[EvidenceRow], is_whole: bool, metric: AlertMetric) -> Evidence {
    let newest = rows.iter().take(usize::from(MAX_NAMED));
    let mut incursions: Vec<IncursionId> = newest.map(|row| row.id).collect();
    if metric == AlertMetric::LongIncursion {
        let longest = rows.iter().filter_map(|row| Some((row.duration()?, row.id))).max();
        if let Some((_, id)) = longest
            && !incursions.contains(&id)
            && let Some(last) = incursions.last_mut()
        {
            *last = id;
        }
    }
    let worksite = shared(rows.iter().map(|row| row.worksite));
    let project = shared(rows.iter().map(|row| row.project));
    Evidence {
        incursions,
        worksite: worksite.filter(|_| is_whole),
        project: project.filter(|_| is_whole),
        newest_at: rows.first().map(|row| row.started_at),
    }
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
    (start, now): (WindowStart, Timestamp),
) -> IncursionFilter {
    let terms = &rule.rule.terms;
    let scope = &terms.scope;
    let from = PeriodBound::Instant(start.before(window_end(now, terms.metric.lag_s())));
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

    fn row(id: i64, seconds: i64, worksite: i64) -> EvidenceRow {
        let started_at = Timestamp::from_seconds(1_770_000_000 - id);
        EvidenceRow {
            id: IncursionId(id),
            started_at,
            ended_at: Some(started_at + Span::seconds(seconds)),
            worksite: Some(WorksiteId(worksite)),
            project: None,
        }
    }

    #[test]
    fn of_many_the_newest_are_named_and_the_longest() {
        let rows: Vec<EvidenceRow> = (1..=30).map(|id| row(id, if id == 25 { 90 } else { 5 }, 7)).collect();
        let newest: Vec<IncursionId> = (1..=20).map(IncursionId).collect();
        let found = summarize(&rows, true, AlertMetric::Incursions);
        assert_eq!((&found.incursions, found.worksite), (&newest, Some(WorksiteId(7))));
        let found = summarize(&rows, true, AlertMetric::LongIncursion);
        assert_eq!(found.incursions[19], IncursionId(25));
        // Where the rest was is not known.
        assert_eq!(summarize(&rows, false, AlertMetric::Incursions).worksite, None);
        assert_eq!(summarize(&[row(1, 5, 7), row(2, 5, 8)], true, AlertMetric::Incursions).worksite, None);
    }

    #[test]
    fn a_place_counts_if_all_share_it() {
        assert_eq!(shared([Some(1), Some(1)].into_iter()), Some(1));
        assert_eq!(shared([Some(1), Some(2)].into_iter()), None);
        assert_eq!(shared([Some(1), None].into_iter()), None);
        assert_eq!(shared::<i64>([None, None].into_iter()), None);
        assert_eq!(shared::<i64>(std::iter::empty()), None);
    }
}
