//! The incursion filters as fields of a body. They have the same names as the query parameters; lists are arrays.

use domain::insights::IncursionFilter;
use domain::{
    BaseStationId, Change, Invalid, MachineId, Period, PeriodBound, PersonId, ProjectId, Review, Span, TagId,
    WorksiteId, Zone,
};
use serde_json::Value;
use utoipa::ToSchema;

use crate::request::fields::{Fields, boolean, id, integer_within, text};
use crate::response::enum_schemas;

/// The maximum number of ids in one filter.
const MAX_IDS: usize = 100;
/// The maximum of the duration filters, in seconds.
const MAX_DURATION_S: i64 = 366 * 24 * 60 * 60;

/// Filters of incursions, with the same names as the query parameters.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body for OpenAPI; it is read field by field")]
pub struct FilterFields {
    /// Start of the period: only incursions that started at this time or later. Either a time (RFC 3339) or a date, which means the
    /// beginning of that day in the time zone of each worksite. The default is 30 days before `to`.
    #[schema(example = "2026-02-01")]
    from: Option<String>,
    /// End of the period, exclusive: only incursions that started before it. A time or a date, as in `from`. The default is now.
    #[schema(example = "2026-03-01")]
    to: Option<String>,
    /// Only incursions of these projects.
    #[schema(max_items = 100)]
    project_id: Option<Vec<i64>>,
    /// Only incursions at these worksites.
    #[schema(max_items = 100)]
    worksite_id: Option<Vec<i64>>,
    /// Only incursions of these machines.
    #[schema(max_items = 100)]
    machine_id: Option<Vec<i64>>,
    /// Only incursions that were detected by these base stations.
    #[schema(max_items = 100)]
    base_station_id: Option<Vec<i64>>,
    /// Only incursions with these people, as pedestrians or operators.
    #[schema(max_items = 100)]
    person_id: Option<Vec<i64>>,
    /// Only incursions with these people as pedestrians.
    #[schema(max_items = 100)]
    pedestrian_id: Option<Vec<i64>>,
    /// Only incursions with these people as operators.
    #[schema(max_items = 100)]
    operator_id: Option<Vec<i64>>,
    /// Only incursions of these tags, worn by pedestrians.
    #[schema(max_items = 100)]
    tag_id: Option<Vec<i64>>,
    /// Only incursions in these zones.
    #[schema(value_type = Option<Vec<enum_schemas::Zone>>, example = json!(["danger"]))]
    zone: Option<Vec<String>>,
    /// `true` for incursions that were acknowledged in the cab, `false` for those that were not.
    acknowledged: Option<bool>,
    /// Only incursions that lasted at least this number of seconds.
    #[schema(minimum = 0, maximum = 31622400)]
    min_duration_s: Option<i64>,
    /// Only incursions that lasted at most this number of seconds.
    #[schema(minimum = 0, maximum = 31622400)]
    max_duration_s: Option<i64>,
    /// Only incursions with one of these review results. The default is all but `dismissed` and `false_detection`.
    #[schema(value_type = Option<Vec<enum_schemas::Review>>)]
    review: Option<Vec<String>>,
}

/// Reads the filters of a body, or returns the defaults if they are left out. `None` means that an error was recorded.
pub fn filters_or_default(fields: &mut Fields, name: &str) -> Option<IncursionFilter> {
    optional_filters(fields, name).map(|given| given.unwrap_or_else(default_filters))
}

/// Reads the filters of a body. The inner `None` means that they are left out, the outer one that an error was recorded.
pub fn optional_filters(fields: &mut Fields, name: &str) -> Option<Option<IncursionFilter>> {
    match fields.take(name) {
        None | Some(Value::Null) => Some(None),
        Some(value) => fields.object(name, value, read_filters).map(Some),
    }
}

pub fn default_filters() -> IncursionFilter {
    IncursionFilter {
        period: Some(Period::default()),
        reviews: Review::COUNTED.to_vec(),
        ..IncursionFilter::default()
    }
}

/// Reads the filters of a body that contains nothing else.
pub fn read_filters(fields: &mut Fields) -> Option<IncursionFilter> {
    let (from, to) =
        (fields.optional("from", text(PeriodBound::parse)), fields.optional("to", text(PeriodBound::parse)));
    let projects = ids(fields, "project_id", ProjectId);
    let worksites = ids(fields, "worksite_id", WorksiteId);
    let machines = ids(fields, "machine_id", MachineId);
    let base_stations = ids(fields, "base_station_id", BaseStationId);
    let people = ids(fields, "person_id", PersonId);
    let pedestrians = ids(fields, "pedestrian_id", PersonId);
    let operators = ids(fields, "operator_id", PersonId);
    let tags = ids(fields, "tag_id", TagId);
    let zones = sorted_list(fields, "zone", Zone::ALL.len(), |value| text(Zone::parse)(value));
    let acknowledged = fields.optional("acknowledged", boolean);
    let min_duration = fields.optional("min_duration_s", integer_within(0..=MAX_DURATION_S));
    let max_duration = fields.optional("max_duration_s", integer_within(0..=MAX_DURATION_S));
    let reviews = sorted_list(fields, "review", Review::ALL.len(), |value| text(Review::parse)(value));
    let (min_duration, max_duration) = (min_duration?, max_duration?);
    if min_duration.zip(max_duration).is_some_and(|(min, max)| min > max) {
        let invalid = Invalid::new("out_of_range", "must not be less than min_duration_s");
        return fields.add_fault("max_duration_s", invalid);
    }
    let mut reviews = reviews?;
    if reviews.is_empty() {
        reviews = Review::COUNTED.to_vec();
    }
    Some(IncursionFilter {
        period: Some(Period { from: from?, to: to? }),
        projects: projects?,
        worksites: worksites?,
        machines: machines?,
        base_stations: base_stations?,
        people: people?,
        pedestrians: pedestrians?,
        operators: operators?,
        tags: tags?,
        zones: zones?,
        acknowledged: acknowledged?,
        min_duration: min_duration.map(Span::seconds),
        max_duration: max_duration.map(Span::seconds),
        reviews,
    })
}

fn ids<T>(fields: &mut Fields, name: &str, make: impl Fn(i64) -> T) -> Option<Vec<T>> {
    Some(sorted_list(fields, name, MAX_IDS, id)?.into_iter().map(make).collect())
}

/// Reads a list that may be left out, sorted and without duplicates.
pub fn sorted_list<T: Ord>(
    fields: &mut Fields,
    name: &str,
    max_items: usize,
    read: impl Fn(&Value) -> Result<T, Invalid>,
) -> Option<Vec<T>> {
    let mut values = list_in_given_order(fields, name, max_items, read)?;
    values.sort_unstable();
    values.dedup();
    Some(values)
}

/// Reads a list that may be left out, in the given order.
pub fn list_in_given_order<T>(
    fields: &mut Fields,
    name: &str,
    max_items: usize,
    read: impl Fn(&Value) -> Result<T, Invalid>,
) -> Option<Vec<T>> {
    let items =
        fields.change_list(name, max_items, |fields, path, value| fields.item(path, &value, &read))?;
    Some(match items {
        Change::Keep => Vec::new(),
        Change::Set(values) => values,
    })
}
