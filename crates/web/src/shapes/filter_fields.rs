//! The incursion filters as fields of a body. They have the same names as the query parameters; lists are arrays.

use domain::insights::IncursionFilter;
use domain::{
    BaseStationId, Change, Invalid, MachineId, MachineKind, Period, PeriodBound, PersonId, ProjectId, Review,
    Span, TagId, TimeZone, Timestamp, WorksiteId, WorksiteKind, Zone,
};
use serde_json::Value;

use crate::request::body_field::BodyField;
use crate::request::fields::{Fields, text};
use crate::response::enum_schemas;

/// The maximum number of ids in one filter.
const MAX_IDS: usize = 100;
/// The maximum of the duration filters, in seconds.
const MAX_DURATION_S: i64 = 366 * 24 * 60 * 60;

/// Filters of incursions, with the same names as the query parameters.
#[macros::body(parts)]
pub struct FilterFields {
    /// Start of the period: only incursions that started at this time or later. Either a time (RFC 3339) or a date, which means the
    /// beginning of that day in the time zone of each worksite. The default is 28 local days, the day of `to` being the last of them.
    #[schema(example = "2026-02-01")]
    #[field(parse = PeriodBound::parse)]
    from: Option<PeriodBound>,
    /// End of the period, exclusive: only incursions that started before it. A time or a date, as in `from`. The default is now.
    #[schema(example = "2026-03-01")]
    #[field(parse = PeriodBound::parse)]
    to: Option<PeriodBound>,
    /// Only incursions of these projects.
    #[schema(value_type = Option<Vec<i64>>, max_items = 100)]
    #[field(read = ids)]
    project_id: Vec<ProjectId>,
    /// Only incursions at these worksites.
    #[schema(value_type = Option<Vec<i64>>, max_items = 100)]
    #[field(read = ids)]
    worksite_id: Vec<WorksiteId>,
    /// Only incursions at worksites that are of these kinds now.
    #[schema(value_type = Option<Vec<enum_schemas::WorksiteKind>>, example = json!(["rail_maintenance"]))]
    #[field(read = worksite_kinds)]
    worksite_kind: Vec<WorksiteKind>,
    /// Only incursions of these machines.
    #[schema(value_type = Option<Vec<i64>>, max_items = 100)]
    #[field(read = ids)]
    machine_id: Vec<MachineId>,
    /// Only incursions of machines that are of these kinds now.
    #[schema(value_type = Option<Vec<enum_schemas::MachineKind>>, example = json!(["excavator"]))]
    #[field(read = machine_kinds)]
    machine_kind: Vec<MachineKind>,
    /// Only incursions that were detected by these base stations.
    #[schema(value_type = Option<Vec<i64>>, max_items = 100)]
    #[field(read = ids)]
    base_station_id: Vec<BaseStationId>,
    /// Only incursions with these people, as pedestrians or operators.
    #[schema(value_type = Option<Vec<i64>>, max_items = 100)]
    #[field(read = ids)]
    person_id: Vec<PersonId>,
    /// Only incursions with these people as pedestrians.
    #[schema(value_type = Option<Vec<i64>>, max_items = 100)]
    #[field(read = ids)]
    pedestrian_id: Vec<PersonId>,
    /// Only incursions with these people as operators.
    #[schema(value_type = Option<Vec<i64>>, max_items = 100)]
    #[field(read = ids)]
    operator_id: Vec<PersonId>,
    /// Only incursions of these tags, worn by pedestrians.
    #[schema(value_type = Option<Vec<i64>>, max_items = 100)]
    #[field(read = ids)]
    tag_id: Vec<TagId>,
    /// Only incursions in these zones.
    #[schema(value_type = Option<Vec<enum_schemas::Zone>>, example = json!(["danger"]))]
    #[field(read = zones)]
    zone: Vec<Zone>,
    /// `true` for incursions that were acknowledged in the cab, `false` for those that were not.
    acknowledged: Option<bool>,
    /// Only incursions that lasted at least this number of seconds.
    #[schema(maximum = 31622400)]
    #[field(range = 0..=MAX_DURATION_S)]
    min_duration_s: Option<i64>,
    /// Only incursions that lasted at most this number of seconds.
    #[schema(maximum = 31622400)]
    #[field(range = 0..=MAX_DURATION_S)]
    max_duration_s: Option<i64>,
    /// Only incursions with one of these review results. The default is all but `dismissed` and `false_detection`.
    #[schema(value_type = Option<Vec<enum_schemas::Review>>)]
    #[field(read = reviews)]
    review: Vec<Review>,
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
    let parts = FilterFields::read_parts(fields);
    let (min_duration, max_duration) = (parts.min_duration_s.flatten(), parts.max_duration_s.flatten());
    if min_duration.zip(max_duration).is_some_and(|(min, max)| min > max) {
        let invalid = Invalid::new("out_of_range", "must not be less than min_duration_s");
        let _: Option<()> = fields.add_fault("max_duration_s", invalid);
    }
    let period = Period { from: parts.from?, to: parts.to? };
    // A period without an end depends on the time of the call, so that the use case checks it.
    if period.to.is_some()
        && let Err((name, invalid)) = period.bounds(Timestamp::from_micros(0), &TimeZone::utc())
    {
        let _: Option<()> = fields.add_fault(name, invalid);
    }
    let mut reviews = parts.review?;
    if reviews.is_empty() {
        reviews = Review::COUNTED.to_vec();
    }
    Some(IncursionFilter {
        period: Some(period),
        projects: parts.project_id?,
        worksites: parts.worksite_id?,
        worksite_kinds: parts.worksite_kind?,
        machines: parts.machine_id?,
        machine_kinds: parts.machine_kind?,
        base_stations: parts.base_station_id?,
        people: parts.person_id?,
        pedestrians: parts.pedestrian_id?,
        operators: parts.operator_id?,
        tags: parts.tag_id?,
        zones: parts.zone?,
        acknowledged: parts.acknowledged?,
        min_duration: min_duration.map(Span::seconds),
        max_duration: max_duration.map(Span::seconds),
        reviews,
    })
}

fn ids<T: BodyField + Ord>(fields: &mut Fields, name: &str) -> Option<Vec<T>> {
    sorted_list(fields, name, MAX_IDS, T::from_json)
}

fn zones(fields: &mut Fields, name: &str) -> Option<Vec<Zone>> {
    sorted_list(fields, name, Zone::ALL.len(), |value| text(Zone::parse)(value))
}

fn worksite_kinds(fields: &mut Fields, name: &str) -> Option<Vec<WorksiteKind>> {
    sorted_list(fields, name, WorksiteKind::ALL.len(), WorksiteKind::from_json)
}

fn machine_kinds(fields: &mut Fields, name: &str) -> Option<Vec<MachineKind>> {
    sorted_list(fields, name, MachineKind::ALL.len(), MachineKind::from_json)
}

fn reviews(fields: &mut Fields, name: &str) -> Option<Vec<Review>> {
    sorted_list(fields, name, Review::ALL.len(), Review::from_json)
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
