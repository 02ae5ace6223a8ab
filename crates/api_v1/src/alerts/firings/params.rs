//! The filters of lists of firings.

use app::{App, Error};
use domain::access::ReadInsights;
use domain::{
    AlertFiringFilter, AlertMetric, AlertSeverity, BaseStationId, FiringState, FiringSubject, Invalid,
    MachineId, PeriodBound, PersonId, ProjectId, TagId, WorksiteId,
};
use web::{FromParams, IntoParams, ListParams, Query, enum_schemas};

/// The filters, for OpenAPI. [`FiringParams`] reads them.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "describes the parameters for OpenAPI")]
pub struct FiringFilters {
    /// Only firings in these states; repeat the parameter.
    #[param(value_type = Option<Vec<enum_schemas::FiringState>>)]
    state: Option<Vec<String>>,
    /// Only firings of these severities; repeat the parameter.
    #[param(value_type = Option<Vec<enum_schemas::AlertSeverity>>)]
    severity: Option<Vec<String>>,
    /// Only firings of alerts with these metrics; repeat the parameter.
    #[param(value_type = Option<Vec<enum_schemas::AlertMetric>>)]
    metric: Option<Vec<String>>,
    /// Only firings about this project.
    project_id: Option<i64>,
    /// Only firings about this worksite.
    worksite_id: Option<i64>,
    /// Only firings about this machine.
    machine_id: Option<i64>,
    /// Only firings about this base station.
    base_station_id: Option<i64>,
    /// Only firings about this person.
    person_id: Option<i64>,
    /// Only firings about this tag.
    tag_id: Option<i64>,
    /// Only firings at or after this time: a time (RFC 3339), or a date, which begins by the local time of the brand.
    #[param(example = "2026-03-01")]
    from: Option<String>,
    /// Only firings before this time; a time or a date, as in `from`.
    #[param(example = "2026-03-02")]
    to: Option<String>,
}

/// The parsed filters and the page.
pub struct FiringParams {
    /// Without a period, which depends on the clock of the brand.
    pub filter: AlertFiringFilter,
    bounds: (Option<PeriodBound>, Option<PeriodBound>),
    pub list: ListParams,
}

impl FromParams for FiringParams {
    fn read(query: &mut Query) -> Result<Self, Error> {
        let word = |text: &str| FiringState::parse(text).map(FiringState::as_str);
        let states = query.many("state", FiringState::ALL.len(), word)?;
        let filter = AlertFiringFilter {
            states: FiringState::ALL.into_iter().filter(|state| states.contains(&state.as_str())).collect(),
            severities: query.many("severity", AlertSeverity::ALL.len(), AlertSeverity::parse)?,
            metrics: query.many("metric", AlertMetric::ALL.len(), AlertMetric::parse)?,
            subject: FiringSubject {
                project: query.id("project_id")?.map(ProjectId),
                worksite: query.id("worksite_id")?.map(WorksiteId),
                machine: query.id("machine_id")?.map(MachineId),
                base_station: query.id("base_station_id")?.map(BaseStationId),
                person: query.id("person_id")?.map(PersonId),
                tag: query.id("tag_id")?.map(TagId),
                visit: None,
            },
            ..AlertFiringFilter::default()
        };
        let bounds = (query.one("from", PeriodBound::parse)?, query.one("to", PeriodBound::parse)?);
        Ok(Self { filter, bounds, list: ListParams::read(query)? })
    }
}

impl FiringParams {
    /// Returns the filter with its period, and the page.
    pub async fn resolve(
        self,
        app: &App,
        caller: &app::Caller<ReadInsights>,
    ) -> Result<(AlertFiringFilter, ListParams), Error> {
        let (from, to) = app.resolve_firing_period(caller, self.bounds).await?;
        if from.zip(to).is_some_and(|(from, to)| from > to) {
            let invalid = Invalid::new("out_of_range", "must not come before from");
            return Err(Error::bad_parameter("to", invalid));
        }
        Ok((AlertFiringFilter { from, to, ..self.filter }, self.list))
    }
}
