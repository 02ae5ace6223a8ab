//! /api/v2/reports: documents and tables that are made in the background, and their files.

mod create;
mod delete;
mod documents;
mod download;
mod get;
mod list;
mod remake;

use app::Error;
use domain::{
    Direction, MachineId, PersonId, ProjectId, ReportFilter, ReportKind, ReportScheduleId, ReportState,
    ReportSubject, SortKey, Sorting, Timestamp, WorksiteId,
};
use web::{OperationRouter, PartialSchema, Query, enum_schemas, routes};

use crate::json_api::{
    Collection, Filter, IncludedType, Relationship, Resource, ResourceDefinition, Writable, several,
};
use crate::machines::Machine;
use crate::people::Person;
use crate::projects::Project;
use crate::worksites::Worksite;

/// Path of the collection.
const PATH: &str = "/api/v2/reports";

pub fn routes() -> OperationRouter {
    OperationRouter::new()
        .routes(routes!(list::list_reports, create::request_report))
        .routes(routes!(get::get_report, delete::delete_report))
        .routes(routes!(download::download_report))
        .routes(routes!(remake::remake_report))
}

/// Attributes of a report.
#[web::answer(sparse)]
#[schema(as = ReportAttributes)]
pub struct Report {
    /// Kind of the report.
    #[schema(value_type = enum_schemas::ReportKind, example = "site_safety")]
    kind: &'static str,
    /// Format that was requested, which the download returns without a parameter.
    #[schema(value_type = enum_schemas::ReportFormat, example = "pdf")]
    format: &'static str,
    /// Formats that can be downloaded; a file in another format than `format` is made when it is first downloaded.
    #[schema(value_type = Vec<enum_schemas::ReportFormat>, example = json!(["pdf", "json"]))]
    formats: Vec<&'static str>,
    /// Id of the written site report that it renders.
    #[schema(example = json!(null))]
    site_report_id: Option<i64>,
    /// Start of the period: a time in RFC 3339, or a date in the local time of each worksite.
    #[schema(example = "2026-02-01")]
    from: String,
    /// End of the period, exclusive.
    #[schema(example = "2026-03-01")]
    to: String,
    /// State of the report.
    #[schema(value_type = enum_schemas::ReportState, example = "ready")]
    state: &'static str,
    /// Progress in percent.
    #[schema(minimum = 0, maximum = 100, example = 100)]
    percent: i64,
    /// Code of the reason why the report failed or has no file any more: `cancelled`, `deleted`, `user_deactivated`,
    /// `permission_missing`, `too_many_rows`, `too_many_pages`, `took_too_long`, `given_up`, `figures_missing` and others; null if its
    /// retention ended.
    #[schema(example = json!(null))]
    reason: Option<String>,
    /// The reason as a sentence in your language, if there are texts in it, otherwise in English.
    #[schema(example = json!(null))]
    reason_text: Option<&'static str>,
    /// Whether the files contain names of people. Those who may not see names do not see such a report.
    #[schema(example = true)]
    names_people: bool,
    /// Sequence number of the brand's last change that the figures include; null until they are computed.
    #[schema(example = 1207)]
    seq: Option<i64>,
    /// Time zones that days and hours refer to: those of the worksites concerned; null until the figures are computed.
    #[schema(example = json!(["Europe/Berlin"]))]
    time_zones: Option<Vec<String>>,
    /// Version of the program that computed the figures.
    #[schema(example = "Keepclear 0.1.0")]
    program: Option<String>,
    /// Name of the file in the requested format: the kind, the ids of what the report is about, its first and last day, and its id.
    #[schema(example = "site_safety-worksite_3-2026-02-01-to-2026-02-28-7.pdf")]
    file_name: String,
    /// Media type of the file in the requested format.
    #[schema(example = "application/pdf")]
    content_type: &'static str,
    /// Size of that file in bytes; null while it does not exist.
    #[schema(example = 184_320)]
    size_bytes: Option<i64>,
    /// SHA-256 of that file, in hexadecimal; null while it does not exist.
    #[schema(example = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08")]
    sha256: Option<String>,
    /// Path of the files; null while there are none. A report that is being made again has its files until there are new ones.
    #[schema(example = "/api/v2/reports/7/download")]
    download: Option<String>,
    /// Time at which the report was requested, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    created_at: Timestamp,
    /// Time of the last change, also of the progress, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:02Z")]
    updated_at: Timestamp,
    /// Time at which the report became ready or failed, RFC 3339 in UTC.
    #[schema(value_type = Option<String>, format = DateTime, example = "2026-03-01T08:00:02Z")]
    finished_at: Option<Timestamp>,
    /// Time at which the report expires, RFC 3339 in UTC.
    #[schema(value_type = Option<String>, format = DateTime, example = "2027-03-01T08:00:02Z")]
    expires_at: Option<Timestamp>,
}

pub const DEFINITION: ResourceDefinition = ResourceDefinition {
    kind: "reports",
    path: Some(PATH),
    attributes: &[
        "kind",
        "format",
        "formats",
        "site_report_id",
        "from",
        "to",
        "state",
        "percent",
        "reason",
        "reason_text",
        "names_people",
        "seq",
        "time_zones",
        "program",
        "file_name",
        "content_type",
        "size_bytes",
        "sha256",
        "download",
        "created_at",
        "updated_at",
        "finished_at",
        "expires_at",
    ],
    relationships: &[
        Relationship::to_one("project", "projects", "Project").written_as("project_id"),
        Relationship::to_one("worksite", "worksites", "Worksite").written_as("worksite_id"),
        Relationship::to_one("machine", "machines", "Machine").written_as("machine_id"),
        Relationship::to_one("person", "people", "Person").written_as("person_id"),
        Relationship::to_one("schedule", "report_schedules", "ReportSchedule"),
        Relationship::to_account("author"),
    ],
};

impl Resource for Report {
    const NAME: &'static str = "Report";
    const DEFINITION: &'static ResourceDefinition = &DEFINITION;
    const INCLUDES: &'static [&'static str] = &["project", "worksite", "machine", "person"];
    const INCLUDED_TYPES: &'static [IncludedType] = &[
        IncludedType::of::<Project>(),
        IncludedType::of::<Worksite>(),
        IncludedType::of::<Machine>(),
        IncludedType::of::<Person>(),
    ];

    type Listed = Self;
}

impl Writable for Report {
    type New = create::NewReport;
    /// A report cannot be changed.
    type Changed = create::NewReport;
}

/// The filters of the list. Who the author is, if it is to be the caller, is known to the handler.
pub struct ListFilter {
    filter: ReportFilter,
    mine: bool,
}

impl Collection for Report {
    type Filter = ListFilter;

    const FILTERS: &'static [Filter] = &[
        Filter::BY_ID,
        Filter {
            name: "filter[kind]",
            description: "Returns reports of these kinds only, separated by commas.",
            schema: several::<enum_schemas::ReportKind>,
        },
        Filter {
            name: "filter[state]",
            description: "Returns reports in these states only, separated by commas.",
            schema: several::<enum_schemas::ReportState>,
        },
        Filter {
            name: "filter[project]",
            description: "Returns reports about the project with this id only.",
            schema: String::schema,
        },
        Filter {
            name: "filter[worksite]",
            description: "Returns reports about the worksite with this id only.",
            schema: String::schema,
        },
        Filter {
            name: "filter[machine]",
            description: "Returns reports about the machine with this id only.",
            schema: String::schema,
        },
        Filter {
            name: "filter[person]",
            description: "Returns reports about the person with this id only.",
            schema: String::schema,
        },
        Filter {
            name: "filter[schedule]",
            description: "Returns reports of the schedule with this id only.",
            schema: String::schema,
        },
        Filter {
            name: "filter[mine]",
            description: "With `true`, returns reports of which you are the author only.",
            schema: bool::schema,
        },
    ];

    const SORTS: &'static [(&'static str, SortKey)] =
        &[("created_at", SortKey::CreatedAt), ("updated_at", SortKey::UpdatedAt)];

    /// The newest come first.
    const DEFAULT_SORTING: Sorting = Sorting::by(SortKey::Id, Direction::Descending);

    fn filter(query: &mut Query) -> Result<ListFilter, Error> {
        let filter = ReportFilter {
            ids: query.comma_ids("filter[id]")?,
            kinds: query.comma_list("filter[kind]", ReportKind::ALL.len(), ReportKind::parse)?,
            states: query.comma_list("filter[state]", ReportState::ALL.len(), ReportState::parse)?,
            subject: ReportSubject {
                project: query.id("filter[project]")?.map(ProjectId),
                worksite: query.id("filter[worksite]")?.map(WorksiteId),
                machine: query.id("filter[machine]")?.map(MachineId),
                person: query.id("filter[person]")?.map(PersonId),
            },
            schedule: query.id("filter[schedule]")?.map(ReportScheduleId),
            author: None,
        };
        Ok(ListFilter { filter, mine: query.flag("filter[mine]")? })
    }
}
