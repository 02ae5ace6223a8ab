//! The query parameters that filter incursions, shared by lists, insights, charts, pivots and exports.

use app::Error;
use domain::insights::IncursionFilter;
use domain::{
    BaseStationId, Invalid, MachineId, MachineKind, Period, PeriodBound, PersonId, ProjectId, Review, Span,
    TagId, WorksiteId, WorksiteKind, Zone,
};

use crate::IntoParams;
use crate::request::params::{FromParams, Query};
use crate::response::enum_schemas;

/// The maximum of the duration filters, in seconds.
const MAX_DURATION_S: i64 = 366 * 24 * 60 * 60;

/// The filters, for OpenAPI. [`IncursionFilter`] is read from them. Lists are given by repeating the parameter.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "describes the parameters for OpenAPI")]
pub struct FactFilters {
    /// Start of the period: only incursions that started at this time or later. Either a time (RFC 3339) or a date, which means the
    /// beginning of that day in the time zone of each worksite. The default is 28 local days, the day of `to` being the last of them; at
    /// most five years before `to`, and not in the future without `to`.
    #[param(example = "2026-02-01")]
    from: Option<String>,
    /// End of the period, exclusive: only incursions that started before it. A time or a date, as in `from`. The default is now.
    #[param(example = "2026-03-01T00:00:00Z")]
    to: Option<String>,
    /// Only incursions of these projects; at most 100.
    project_id: Option<Vec<i64>>,
    /// Only incursions at these worksites; at most 100.
    worksite_id: Option<Vec<i64>>,
    /// Only incursions at worksites that are of these kinds now.
    #[param(value_type = Option<Vec<enum_schemas::WorksiteKind>>)]
    worksite_kind: Option<Vec<String>>,
    /// Only incursions of these machines; at most 100.
    machine_id: Option<Vec<i64>>,
    /// Only incursions of machines that are of these kinds now.
    #[param(value_type = Option<Vec<enum_schemas::MachineKind>>)]
    machine_kind: Option<Vec<String>>,
    /// Only incursions that were detected by these base stations; at most 100.
    base_station_id: Option<Vec<i64>>,
    /// Only incursions with these people, as pedestrians or operators; at most 100.
    person_id: Option<Vec<i64>>,
    /// Only incursions with these people as pedestrians; at most 100.
    pedestrian_id: Option<Vec<i64>>,
    /// Only incursions with these people as operators; at most 100.
    operator_id: Option<Vec<i64>>,
    /// Only incursions of these tags, worn by pedestrians; at most 100.
    tag_id: Option<Vec<i64>>,
    /// Only incursions in these zones.
    #[param(value_type = Option<Vec<enum_schemas::Zone>>)]
    zone: Option<Vec<String>>,
    /// `true` for incursions that were acknowledged in the cab, `false` for those that were not.
    acknowledged: Option<bool>,
    /// Only incursions that lasted at least this number of seconds. An incursion without an end has no duration.
    #[param(minimum = 0, maximum = 31622400)]
    min_duration_s: Option<i64>,
    /// Only incursions that lasted at most this number of seconds.
    #[param(minimum = 0, maximum = 31622400)]
    max_duration_s: Option<i64>,
    /// Only incursions with one of these review results. The default is all but `dismissed` and `false_detection`.
    #[param(value_type = Option<Vec<enum_schemas::Review>>)]
    review: Option<Vec<String>>,
}

impl FactFilters {
    pub const NAMES: [&str; 17] = [
        "from",
        "to",
        "project_id",
        "worksite_id",
        "worksite_kind",
        "machine_id",
        "machine_kind",
        "base_station_id",
        "person_id",
        "pedestrian_id",
        "operator_id",
        "tag_id",
        "zone",
        "acknowledged",
        "min_duration_s",
        "max_duration_s",
        "review",
    ];
}

impl FromParams for IncursionFilter {
    fn read(query: &mut Query) -> Result<Self, Error> {
        let period =
            Period { from: query.one("from", PeriodBound::parse)?, to: query.one("to", PeriodBound::parse)? };
        let min_duration = query.integer("min_duration_s", 0..=MAX_DURATION_S)?.map(Span::seconds);
        let max_duration = query.integer("max_duration_s", 0..=MAX_DURATION_S)?.map(Span::seconds);
        if min_duration.zip(max_duration).is_some_and(|(min, max)| min > max) {
            let invalid = Invalid::new("out_of_range", "must not be less than min_duration_s");
            return Err(Error::bad_parameter("max_duration_s", invalid));
        }
        let mut reviews = query.many("review", Review::ALL.len(), Review::parse)?;
        if reviews.is_empty() {
            reviews = Review::COUNTED.to_vec();
        }
        Ok(Self {
            period: Some(period),
            projects: query.ids("project_id", ProjectId)?,
            worksites: query.ids("worksite_id", WorksiteId)?,
            worksite_kinds: query.many("worksite_kind", WorksiteKind::ALL.len(), WorksiteKind::parse)?,
            machines: query.ids("machine_id", MachineId)?,
            machine_kinds: query.many("machine_kind", MachineKind::ALL.len(), MachineKind::parse)?,
            base_stations: query.ids("base_station_id", BaseStationId)?,
            people: query.ids("person_id", PersonId)?,
            pedestrians: query.ids("pedestrian_id", PersonId)?,
            operators: query.ids("operator_id", PersonId)?,
            tags: query.ids("tag_id", TagId)?,
            zones: query.many("zone", Zone::ALL.len(), Zone::parse)?,
            acknowledged: query.optional_flag("acknowledged")?,
            min_duration,
            max_duration,
            reviews,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(feature = "openapi")]
    #[test]
    fn the_names_are_those_that_are_documented() {
        let documented: Vec<String> =
            FactFilters::into_params(|| None).into_iter().map(|parameter| parameter.name).collect();
        assert_eq!(documented, FactFilters::NAMES);
    }
}
