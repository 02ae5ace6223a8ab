//! The numbers with which a report opens, for pages that show them without its file.

use domain::access::ReadInsights;
use domain::insights::{Figure, IncursionFilter, Measure};
use domain::{PeriodBound, Report, ReportId, ReportKind, ReportState, TimeZone};

use super::figures::ReportFigures;
use super::request::ReportRequest;
use crate::{App, Caller, EntityRole, Error};

/// Larger figures, of many single records, are not read for a few numbers.
const MAX_STORED_BYTES: i64 = 1024 * 1024;

/// The numbers of a first page.
const MEASURES: [Measure; 4] =
    [Measure::Incursions, Measure::IncursionsPerRuntimeHour, Measure::AcknowledgementRate, Measure::Exposure];

/// The numbers of a report, and what they count.
#[derive(Clone, Debug)]
pub struct KeyFigures {
    pub filter: IncursionFilter,
    pub figures: Vec<KeyFigure>,
}

/// A number of a report.
#[derive(Clone, Copy, Debug)]
pub struct KeyFigure {
    /// The role of the person that the report is about; none for other reports.
    pub role: Option<EntityRole>,
    pub measure: Measure,
    pub now: Figure,
    /// The same in the period before; none if that is not equally long, or if nothing was recorded in it.
    pub before: Option<Figure>,
}

#[macros::boxed]
impl App {
    /// Returns the numbers of a report that the caller sees; none while it has no figures, and if they are too many to be read for that.
    pub async fn find_key_figures(
        &self,
        caller: &Caller<ReadInsights>,
        id: ReportId,
    ) -> Result<Option<KeyFigures>, Error> {
        let report = self.find_visible_report(caller, id).await?;
        if report.state != ReportState::Ready {
            return Ok(None);
        }
        let brand = caller.identity.brand();
        let stored = self.store.read().await?.reports_of(&self.scope_of(brand)).figures(id).await?;
        let Some(content) = stored.filter(|content| content.size_bytes <= MAX_STORED_BYTES) else {
            return Ok(None);
        };
        let Some(figures) = self.read_report_figures(brand, id, &content).await? else { return Ok(None) };
        let filter = ReportRequest::from_report(&report)?.filter;
        Ok(Some(KeyFigures { filter, figures: key_figures(&report, &figures) }))
    }
}

fn key_figures(report: &Report, figures: &ReportFigures) -> Vec<KeyFigure> {
    let parts = match report.kind {
        ReportKind::Person => vec![
            (Some(EntityRole::Pedestrian), "foot", "foot_previous"),
            (Some(EntityRole::Operator), "drive", "drive_previous"),
        ],
        _ => vec![(None, "main", "previous")],
    };
    let is_comparable = is_comparable(report, figures);
    let mut found = Vec::new();
    for (role, main, previous) in parts {
        let measures_of = |name: &str| figures.answer(name).map(|answer| answer.measures.as_slice());
        let has = |name: &str, measure: Measure| {
            measures_of(name).is_some_and(|words| words.iter().any(|word| word == measure.as_str()))
        };
        let is_comparable = is_comparable && figures.has_data_before(previous);
        for measure in MEASURES.into_iter().filter(|measure| has(main, *measure)) {
            let before = (is_comparable && has(previous, measure)).then(|| figures.total(previous, measure));
            found.push(KeyFigure { role, measure, now: figures.total(main, measure), before });
        }
    }
    found
}

/// Whether the period before is as long as what is known of the period: not if it is over in some time zones only.
fn is_comparable(report: &Report, figures: &ReportFigures) -> bool {
    let zones: Vec<TimeZone> =
        figures.time_zones.iter().filter_map(|zone| TimeZone::parse(zone).ok()).collect();
    let (Some(at), Ok(to)) = (figures.computed_at, PeriodBound::parse(&report.to)) else { return false };
    zones.len() <= 1 || zones.iter().all(|zone| to.instant_in(zone) <= at)
}
