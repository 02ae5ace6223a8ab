//! The fact sheet of a worksite: totals, rates and changes here, the rest in the files beside this one.

use domain::insights::{IncursionFilter, Interval, Measure};
use domain::{
    Paper, Period, PeriodBound, ProjectId, ReportFormat, ReportKind, ReportSubject, TimeZone, WorksiteId,
    Zone,
};
use narrative::{
    Certainty, ComparedWith, Direction, Fact, FactKind, FactSheet, FactUnit, Subject, SubjectKind,
};
use statistics::Overdispersion;
use store::ReportCoverage;

use super::comparisons::{
    CONFIDENCE, certainty_by_count, certainty_of_rates, certainty_of_shares, compare, interval_of_rate,
    new_fact, new_share,
};
use super::counts::unsigned;
use super::days::Days;
use super::lifecycle::site_filter;
use crate::accounts::authors::Author;
use crate::reports::figures::{Collected, OutlierFigure, ReportFigures};
use crate::reports::lifecycle::coverage_of_scope;
use crate::reports::request::ReportRequest;
use crate::{App, Error};

/// Adjusted p-values up to this one make an outlier sure.
const SURE_P: f64 = 0.01;

/// What was computed for a site report, and what it covers.
pub(super) struct CollectedFacts {
    pub sheet: FactSheet,
    pub coverage: ReportCoverage,
    /// The last change that all of the facts include.
    pub seq: i64,
    pub time_zones: Vec<String>,
}

/// The figures from which facts are made.
pub(super) struct Basis<'a> {
    pub author: &'a Author,
    pub worksite: WorksiteId,
    pub from: PeriodBound,
    pub to: PeriodBound,
    pub filter: IncursionFilter,
    pub figures: ReportFigures,
    pub days: Days,
    /// The last changes that the questions knew.
    pub seqs: Vec<i64>,
    /// Projects of facts from outside of the period; `None` for facts without a project.
    pub earlier_projects: Vec<Option<ProjectId>>,
}

impl Basis<'_> {
    /// Returns a count of the whole worksite in the period, or in the one before.
    pub fn count(&self, answer: &str, measure: Measure) -> u64 {
        unsigned(self.figures.total(answer, measure).numerator)
    }

    /// Returns the runtime hours; none if nothing ran.
    pub fn hours(&self, answer: &str) -> Option<f64> {
        let hours = self.figures.total(answer, Measure::RuntimeHours).value(Measure::RuntimeHours);
        hours.ok().filter(|hours| *hours > 0.0)
    }

    pub fn time_zones(&self) -> Vec<TimeZone> {
        self.figures.time_zones.iter().filter_map(|zone| TimeZone::parse(zone).ok()).collect()
    }
}

impl App {
    /// Computes the facts about a worksite in a period, as far as the author may see them.
    pub(super) async fn collect_facts(
        &self,
        author: &Author,
        worksite: WorksiteId,
        (from, to): (PeriodBound, PeriodBound),
    ) -> Result<CollectedFacts, Error> {
        let filter = site_filter(worksite, Period { from: Some(from), to: Some(to) });
        let preferences = self.store.read().await?.preferences(&author.scope, author.user).get().await?;
        let request = ReportRequest {
            kind: ReportKind::SiteSafety,
            format: ReportFormat::Json,
            subject: ReportSubject { worksite: Some(worksite), ..ReportSubject::default() },
            filter: filter.clone(),
            pivot: None,
            saved_view: None,
            site_report: None,
            paper: Paper::A4,
            preferences: preferences.effective(),
        };
        let Collected { figures, coverage, seq, .. } =
            self.collect_figures(author, &request, &|_| {}).await?;
        let mut seqs = vec![seq];
        let days = self.days_of(author, &filter, &figures, &mut seqs).await?;
        let mut basis =
            Basis { author, worksite, from, to, filter, figures, days, seqs, earlier_projects: Vec::new() };
        let mut facts = totals(&basis);
        facts.extend(outliers(&basis));
        facts.extend(self.drift_fact(&mut basis).await?);
        facts.extend(self.concentration_facts(&mut basis).await?);
        facts.extend(self.test_facts(&mut basis, &request).await?);
        facts.extend(self.device_facts(&basis).await?);
        for (place, fact) in facts.iter_mut().enumerate() {
            fact.id = format!("f{}", place + 1);
        }
        let days = Interval::Day.bucket_keys(from, to, &basis.time_zones()).len();
        Ok(CollectedFacts {
            sheet: FactSheet {
                worksite: worksite.0,
                from: from.to_string(),
                to: to.to_string(),
                days: i64::try_from(days).unwrap_or(0),
                facts,
            },
            coverage: with_projects(coverage, &basis),
            seq: basis.seqs.iter().copied().min().unwrap_or(seq),
            time_zones: basis.figures.time_zones.clone(),
        })
    }
}

/// Adds the projects of facts from outside of the period to those of the period.
fn with_projects(coverage: ReportCoverage, basis: &Basis<'_>) -> ReportCoverage {
    let ReportCoverage::Projects(mut projects) = coverage else { return coverage };
    for project in &basis.earlier_projects {
        match project {
            Some(project) => projects.push(*project),
            // Facts without a project are visible only to those who see everything that the author sees.
            None => return coverage_of_scope(&basis.author.scope),
        }
    }
    projects.sort_unstable();
    projects.dedup();
    ReportCoverage::Projects(projects)
}

/// Returns the facts about the whole worksite.
fn totals(basis: &Basis<'_>) -> Vec<Fact> {
    let (count, before) =
        (basis.count("main", Measure::Incursions), basis.count("previous", Measure::Incursions));
    // Without any data before, nothing is known to have risen.
    let is_compared = count == 0 || basis.figures.has_data("previous");
    let compared = is_compared.then_some(before);
    let mut facts = vec![incursions(count, compared, basis.days.spread_of_counts())];
    let (hours, hours_before) = (basis.hours("main"), basis.hours("previous"));
    let rate_before = hours_before.map(|hours| (before, hours));
    let rate = |hours| incursion_rate((count, hours), rate_before, basis.days.spread_of_rates());
    facts.extend(hours.map(rate));
    facts.push(runtime_hours(hours.unwrap_or(0.0), hours_before));
    if count == 0 {
        return facts;
    }
    facts.push(acknowledgement_rate(basis, count, before));
    facts.extend(duration(basis, Measure::AverageDuration, FactKind::AverageDuration));
    facts.extend(duration(basis, Measure::Exposure, FactKind::ZoneTime));
    let zones = basis.figures.groups("main", "by_zone");
    let danger = zones.iter().find(|group| group.key(0) == Some(Zone::Danger.code()));
    let danger = danger.map_or(0, |group| unsigned(group.figure(Measure::Incursions).numerator));
    facts.push(new_share(FactKind::DangerShare, danger, count));
    facts.extend(unknown_pedestrians(basis, count));
    facts
}

fn incursions(count: u64, before: Option<u64>, spread: Option<Overdispersion>) -> Fact {
    let fact = new_fact(FactKind::Incursions, FactUnit::Count, count as f64, 0);
    let Some(before) = before else { return Fact { certainty: certainty_by_count(count), ..fact } };
    let comparison = compare(ComparedWith::PreviousPeriod, FactUnit::Count, count as f64, before as f64);
    // The previous period is as long as this one.
    let certainty = certainty_of_rates(comparison.direction, (count, 1.0), (before, 1.0), spread);
    Fact { comparison: Some(comparison), certainty, ..fact }
}

fn incursion_rate(
    (count, hours): (u64, f64),
    before: Option<(u64, f64)>,
    spread: Option<Overdispersion>,
) -> Fact {
    let rate = count as f64 / hours;
    let fact = Fact {
        numerator: Some(count as f64),
        denominator: Some(hours),
        interval: interval_of_rate(count, hours, spread),
        certainty: certainty_by_count(count),
        ..new_fact(FactKind::IncursionRate, FactUnit::PerHour, rate, rate_digits(rate))
    };
    let Some((other, other_hours)) = before else { return fact };
    let with = ComparedWith::PreviousPeriod;
    let comparison = compare(with, FactUnit::PerHour, rate, other as f64 / other_hours);
    let certainty = certainty_of_rates(comparison.direction, (count, hours), (other, other_hours), spread);
    Fact { comparison: Some(comparison), certainty, ..fact }
}

/// Returns the decimals with which a rate is written.
pub(super) fn rate_digits(rate: f64) -> u8 {
    if rate < 0.0995 { 3 } else { 2 }
}

fn runtime_hours(hours: f64, before: Option<f64>) -> Fact {
    let comparison =
        before.map(|before| compare(ComparedWith::PreviousPeriod, FactUnit::Hours, hours, before));
    let digits = u8::from(hours > 0.0 && hours < 9.95);
    Fact { comparison, ..new_fact(FactKind::RuntimeHours, FactUnit::Hours, hours, digits) }
}

fn acknowledgement_rate(basis: &Basis<'_>, count: u64, before: u64) -> Fact {
    let acknowledged = basis.count("main", Measure::Acknowledged);
    let spread = basis.days.spread_of_acknowledgements();
    let interval = spread.and_then(|spread| spread.share_interval((acknowledged, count), CONFIDENCE));
    let fact = new_share(FactKind::AcknowledgementRate, acknowledged, count);
    let interval = interval.map(|found| (found.low * 100.0, found.high * 100.0)).or(fact.interval);
    let fact = Fact { interval, ..fact };
    if before == 0 {
        return fact;
    }
    let other = basis.count("previous", Measure::Acknowledged);
    let share = other as f64 / before as f64 * 100.0;
    let comparison = compare(ComparedWith::PreviousPeriod, FactUnit::Percent, fact.value, share);
    let certainty = certainty_of_shares(comparison.direction, (acknowledged, count), (other, before), spread);
    Fact { comparison: Some(comparison), certainty, ..fact }
}

/// Returns the average or the summed duration of incursions. How much durations vary is not known, so that a change is never sure.
fn duration(basis: &Basis<'_>, measure: Measure, kind: FactKind) -> Option<Fact> {
    let value = |answer: &str| basis.figures.total(answer, measure).value(measure).ok();
    let seconds = value("main").filter(|seconds| *seconds > 0.0)?;
    let ended = unsigned(basis.figures.total("main", Measure::AverageDuration).denominator);
    let before = value("previous").filter(|before| *before > 0.0);
    let comparison =
        before.map(|before| compare(ComparedWith::PreviousPeriod, FactUnit::Seconds, seconds, before));
    Some(Fact {
        denominator: (kind == FactKind::AverageDuration).then_some(ended as f64),
        comparison,
        certainty: certainty_by_count(ended).min(Certainty::Moderate),
        ..new_fact(kind, FactUnit::Seconds, seconds, 1)
    })
}

fn unknown_pedestrians(basis: &Basis<'_>, count: u64) -> Option<Fact> {
    let groups = basis.figures.groups("main", "by_pedestrian");
    let unknown = groups.iter().find(|group| group.key(0).is_none())?;
    let unknown = unsigned(unknown.figure(Measure::Incursions).numerator);
    (unknown > 0).then(|| new_share(FactKind::UnknownPedestrians, unknown, count))
}

/// Returns the machines and people that differ from their peers.
fn outliers(basis: &Basis<'_>) -> Vec<Fact> {
    let fact = |found: &OutlierFigure| {
        let (kind, subject, unit) = match found.by.as_str() {
            "machine" => (FactKind::OutlierMachine, SubjectKind::Machine, "runtime_hours"),
            "pedestrian" => (FactKind::OutlierPedestrian, SubjectKind::Pedestrian, "days"),
            "operator" => (FactKind::OutlierOperator, SubjectKind::Operator, "runtime_hours"),
            _ => return None,
        };
        let value = found.observed as f64;
        let comparison = compare(ComparedWith::Peers, FactUnit::Count, value, found.expected);
        if found.unit != unit || comparison.direction == Direction::Level {
            return None;
        }
        Some(Fact {
            subjects: vec![Subject { kind: subject, id: found.id }],
            denominator: Some(found.exposure),
            comparison: Some(comparison),
            interval: Some((found.interval.0 as f64, found.interval.1 as f64)),
            certainty: if found.adjusted_p <= SURE_P { Certainty::High } else { Certainty::Moderate },
            ..new_fact(kind, FactUnit::Count, value, 0)
        })
    };
    basis.figures.outliers.iter().filter_map(fact).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn incursions_are_compared_only_with_a_period_that_has_data() {
        let first = incursions(40, None, None);
        assert!(first.comparison.is_none() && first.certainty == Certainty::High, "{first:?}");
        let more = incursions(40, Some(0), None);
        assert_eq!(more.comparison.map(|compared| compared.direction), Some(Direction::Up));
    }
}
