//! /api/v2/alert_firings: firings of alerts, as JSON:API documents. V1 has the alerts themselves.

mod documents;
mod get;
mod list;

use app::Error;
use domain::{
    AlertFiringFilter, AlertMetric, AlertRuleId, AlertSeverity, BaseStationId, Direction, FiringState,
    FiringSubject, MachineId, PersonId, ProjectId, SortKey, Sorting, TagId, Timestamp, WorksiteId,
};
use serde_json::Value;
use web::{OperationRouter, PartialSchema, Query, enum_schemas, routes};

use crate::json_api::{
    Arity, Collection, Filter, IncludedType, Relationship, Resource, ResourceDefinition, several,
};
use crate::machines::Machine;
use crate::people::Person;
use crate::projects::Project;
use crate::worksites::Worksite;

pub fn routes() -> OperationRouter {
    OperationRouter::new().routes(routes!(list::list_alert_firings)).routes(routes!(get::get_alert_firing))
}

/// Attributes of a firing: one alarm of an alert, from the crossing of the threshold to the clearing.
#[web::answer(sparse)]
#[schema(as = AlertFiringAttributes)]
pub struct AlertFiring {
    /// Name of the alert that fired.
    #[schema(example = "Yard, too many")]
    alert_name: String,
    /// State of the firing: nobody has been notified of one that is `held`, because it fired outside the active hours.
    #[schema(value_type = enum_schemas::FiringState, example = "fired")]
    state: &'static str,
    /// Metric that crossed the threshold.
    #[schema(value_type = enum_schemas::AlertMetric, example = "incursions")]
    metric: &'static str,
    /// Unit of the threshold and of values.
    #[schema(value_type = enum_schemas::AlertUnit, example = "count")]
    unit: &'static str,
    /// Whether the alert fired at and above the threshold, or at and below it.
    #[schema(value_type = enum_schemas::AlertComparison, example = "above")]
    comparison: &'static str,
    /// Threshold when the alert fired.
    #[schema(value_type = f64, example = 10)]
    threshold: Value,
    /// Severity when the alert fired.
    #[schema(value_type = enum_schemas::AlertSeverity, example = "warning")]
    severity: &'static str,
    /// Value when the alert fired, in the unit of the metric.
    #[schema(value_type = f64, example = 12)]
    value: Value,
    /// Numerator of the value: a count, or a sum in whole units.
    #[schema(example = 12)]
    numerator: i64,
    /// Denominator of the value; 1 if the metric has none. Runtime is in milliseconds.
    #[schema(example = 1)]
    denominator: i64,
    /// Value that was furthest beyond the threshold since.
    peak: AlertValue,
    /// Window in which the value was counted, everywhere from the same time to the same time; null if the metric has none. For `drift`,
    /// the bounds are those of the last four weeks by `time_zone`, and each site counts by its own weeks.
    window: Option<AlertFiringWindow>,
    /// Time zone of the site concerned. Messages give times in it, active hours without a time zone of their own count by it, and a window
    /// that is a day or week began by it.
    #[schema(example = "Europe/Berlin")]
    time_zone: String,
    /// Further numbers that explain the value; the members depend on the metric.
    #[schema(value_type = Object)]
    details: Value,
    /// Last change of the brand's facts that the value includes.
    #[schema(example = 4711)]
    seq: i64,
    /// Time at which the alert fired, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    fired_at: Timestamp,
    /// Time until which the firing is held, RFC 3339 in UTC; null if it is not.
    #[schema(value_type = Option<String>, format = DateTime)]
    held_until: Option<Timestamp>,
    /// Reason why nobody was notified of the firing, and nobody will be: `outside_hours` if the alert drops what fires outside its active
    /// hours, `cleared_while_held` if it had cleared before they began. Null if somebody was notified, or will be.
    #[schema(value_type = Option<enum_schemas::NotNotifiedReason>)]
    not_notified_reason: Option<&'static str>,
    /// Time at which the alarm cleared, RFC 3339 in UTC; null while it is open.
    #[schema(value_type = Option<String>, format = DateTime)]
    cleared_at: Option<Timestamp>,
    /// Reason why it cleared; null while it is open.
    #[schema(value_type = Option<enum_schemas::ClearReason>)]
    clear_reason: Option<&'static str>,
    /// Value on which it cleared; null while it is open, and if there was none any more.
    cleared_value: Option<AlertValue>,
    /// Address of the page about the firing.
    #[schema(example = "https://keepclear.example.com/alerts/4/firings/31")]
    url: String,
    /// Time at which the firing was recorded, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    created_at: Timestamp,
    /// Time at which the firing last changed, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    updated_at: Timestamp,
}

/// A value of a firing with what it was computed from.
#[web::answer]
pub struct AlertValue {
    /// Value, in the unit of the metric.
    #[schema(value_type = f64, example = 15)]
    value: Value,
    /// Numerator of the value.
    #[schema(example = 15)]
    numerator: i64,
    /// Denominator of the value; 1 if the metric has none.
    #[schema(example = 1)]
    denominator: i64,
}

/// The window in which a value was measured.
#[web::answer]
pub struct AlertFiringWindow {
    /// Start of the window, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T07:00:00Z")]
    from: Timestamp,
    /// End of the window, exclusive, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    to: Timestamp,
}

pub const DEFINITION: ResourceDefinition = ResourceDefinition {
    kind: "alert_firings",
    path: Some("/api/v2/alert_firings"),
    attributes: &[
        "alert_name",
        "state",
        "metric",
        "unit",
        "comparison",
        "threshold",
        "severity",
        "value",
        "numerator",
        "denominator",
        "peak",
        "window",
        "time_zone",
        "details",
        "seq",
        "fired_at",
        "held_until",
        "cleared_at",
        "clear_reason",
        "cleared_value",
        "url",
        "created_at",
        "updated_at",
    ],
    relationships: &[
        Relationship::to_one("alert", "alerts", "Alert"),
        Relationship::to_one("project", "projects", "Project"),
        Relationship::to_one("worksite", "worksites", "Worksite"),
        Relationship::to_one("machine", "machines", "Machine"),
        Relationship::to_one("base_station", "base_stations", "BaseStation"),
        Relationship::to_one("person", "people", "Person"),
        Relationship::to_one("tag", "tags", "Tag"),
        Relationship::to_one("visitor_session", "visitor_sessions", "VisitorSession"),
        // Up to 20 that the value rests on, the newest first.
        Relationship { arity: Arity::Many, ..Relationship::to_one("incursions", "incursions", "Incursion") },
    ],
};

impl Resource for AlertFiring {
    const NAME: &'static str = "AlertFiring";
    const DEFINITION: &'static ResourceDefinition = &DEFINITION;
    const INCLUDES: &'static [&'static str] = &["machine", "person", "project", "worksite"];
    const INCLUDED_TYPES: &'static [IncludedType] = &[
        IncludedType::of::<Machine>(),
        IncludedType::of::<Person>(),
        IncludedType::of::<Project>(),
        IncludedType::of::<Worksite>(),
    ];

    type Listed = Self;
}

impl Collection for AlertFiring {
    type Filter = AlertFiringFilter;

    const FILTERS: &'static [Filter] = &[
        Filter::BY_ID,
        Filter {
            name: "filter[state]",
            description: "Returns firings in these states only, separated by commas.",
            schema: several::<enum_schemas::FiringState>,
        },
        Filter {
            name: "filter[severity]",
            description: "Returns firings of these severities only, separated by commas.",
            schema: several::<enum_schemas::AlertSeverity>,
        },
        Filter {
            name: "filter[metric]",
            description: "Returns firings of alerts with these metrics only, separated by commas.",
            schema: several::<enum_schemas::AlertMetric>,
        },
        Filter {
            name: "filter[alert]",
            description: "Returns firings of the alerts with these ids only, separated by commas; at most 100.",
            schema: several::<String>,
        },
        Filter {
            name: "filter[project]",
            description: "Returns firings about the project with this id only.",
            schema: String::schema,
        },
        Filter {
            name: "filter[worksite]",
            description: "Returns firings about the worksite with this id only.",
            schema: String::schema,
        },
        Filter {
            name: "filter[machine]",
            description: "Returns firings about the machine with this id only.",
            schema: String::schema,
        },
        Filter {
            name: "filter[base_station]",
            description: "Returns firings about the base station with this id only.",
            schema: String::schema,
        },
        Filter {
            name: "filter[person]",
            description: "Returns firings about the person with this id only.",
            schema: String::schema,
        },
        Filter {
            name: "filter[tag]",
            description: "Returns firings about the tag with this id only.",
            schema: String::schema,
        },
    ];

    const SORTS: &'static [(&'static str, SortKey)] =
        &[("fired_at", SortKey::StartedAt), ("updated_at", SortKey::UpdatedAt)];

    /// The newest come first.
    const DEFAULT_SORTING: Sorting = Sorting::by(SortKey::Id, Direction::Descending);

    fn filter(query: &mut Query) -> Result<AlertFiringFilter, Error> {
        let alerts = query.comma_ids("filter[alert]")?.unwrap_or_default();
        Ok(AlertFiringFilter {
            ids: query.comma_ids("filter[id]")?,
            rules: alerts.into_iter().map(AlertRuleId).collect(),
            states: query.comma_list("filter[state]", FiringState::ALL.len(), FiringState::parse)?,
            severities: query.comma_list(
                "filter[severity]",
                AlertSeverity::ALL.len(),
                AlertSeverity::parse,
            )?,
            metrics: query.comma_list("filter[metric]", AlertMetric::ALL.len(), AlertMetric::parse)?,
            subject: FiringSubject {
                project: query.id("filter[project]")?.map(ProjectId),
                worksite: query.id("filter[worksite]")?.map(WorksiteId),
                machine: query.id("filter[machine]")?.map(MachineId),
                base_station: query.id("filter[base_station]")?.map(BaseStationId),
                person: query.id("filter[person]")?.map(PersonId),
                tag: query.id("filter[tag]")?.map(TagId),
                visit: None,
            },
            from: None,
            to: None,
        })
    }
}
