//! /api/v2/advanced_insights/site_reports: written site reports, as JSON:API documents.

mod create;
mod delete;
mod documents;
mod facts;
mod get;
mod list;

use app::Error;
use domain::{Direction, ReportState, SiteReportFilter, SortKey, Sorting, Timestamp, WorksiteId};
use web::{OperationRouter, PartialSchema, Query, enum_schemas, routes};

use crate::json_api::{
    Collection, Filter, IncludedType, Relationship, Resource, ResourceDefinition, Writable, several,
};
use crate::worksites::Worksite;
use facts::{SiteReportChecks, SiteReportFact, SiteReportSentence};

/// The path of the collection.
const PATH: &str = "/api/v2/advanced_insights/site_reports";

pub fn routes() -> OperationRouter {
    OperationRouter::new()
        .routes(routes!(list::list_site_reports, create::request_site_report))
        .routes(routes!(get::get_site_report, delete::delete_site_report))
}

/// Attributes of a written site report.
#[web::answer(sparse)]
#[schema(as = SiteReportAttributes)]
pub struct SiteReport {
    /// Language of the texts.
    #[schema(value_type = enum_schemas::TextLanguage, example = "en")]
    language: String,
    /// Start of the period: a time in RFC 3339, or a date in the local time of the worksite.
    #[schema(example = "2026-02-01")]
    from: String,
    /// End of the period, exclusive.
    #[schema(example = "2026-03-01")]
    to: String,
    /// State of the site report.
    #[schema(value_type = enum_schemas::ReportState, example = "ready")]
    state: &'static str,
    /// Progress in percent.
    #[schema(minimum = 0, maximum = 100, example = 100)]
    percent: i64,
    /// Code of the reason why the site report failed or has no text any more: `cancelled`, `deleted`, `user_deactivated`,
    /// `permission_missing`, `given_up` and others; null if it expired.
    #[schema(example = json!(null))]
    reason: Option<String>,
    /// The reason as a sentence in your language, if there are texts in it, otherwise in English.
    #[schema(example = json!(null))]
    reason_text: Option<&'static str>,
    /// Findings, the most serious first, then recommendations, then what the data cannot say. Empty until the state is `ready`.
    sentences: Vec<SiteReportSentence>,
    /// Facts that the sentences rest on. Empty until the state is `ready`.
    facts: Vec<SiteReportFact>,
    /// Generator of the sentences: fixed rules, or the language model of the installation; null until the state is `ready`.
    #[schema(value_type = Option<enum_schemas::SiteReportGenerator>, example = "rules")]
    generator: Option<&'static str>,
    /// Language model that was asked; null if none is configured.
    #[schema(example = json!(null))]
    model: Option<String>,
    /// SHA-256 of the last prompt and the name of the model, in hexadecimal.
    #[schema(example = json!(null))]
    prompt_hash: Option<String>,
    /// Reason why the rules wrote the sentences although a language model is configured; null otherwise.
    #[schema(value_type = Option<enum_schemas::FallbackReason>, example = json!(null))]
    fallback_reason: Option<String>,
    /// Checks of the answers of the language model, and their results; null until the state is `ready`.
    checks: Option<SiteReportChecks>,
    /// Sequence number of the brand's last change that the facts include; null until they are computed.
    #[schema(example = 1207)]
    seq: Option<i64>,
    /// Time zones that days and hours refer to; null until the facts are computed.
    #[schema(example = json!(["Europe/Berlin"]))]
    time_zones: Option<Vec<String>>,
    /// Version of the program that computed the facts.
    #[schema(example = "Keepclear 0.1.0")]
    program: Option<String>,
    /// Time at which the site report was requested, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    created_at: Timestamp,
    /// Time of the last change, also of the progress, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:02Z")]
    updated_at: Timestamp,
    /// Time at which the site report became ready or failed, RFC 3339 in UTC.
    #[schema(value_type = Option<String>, format = DateTime, example = "2026-03-01T08:00:02Z")]
    finished_at: Option<Timestamp>,
    /// Time at which the texts are deleted, RFC 3339 in UTC.
    #[schema(value_type = Option<String>, format = DateTime, example = "2027-03-01T08:00:02Z")]
    expires_at: Option<Timestamp>,
}

pub const DEFINITION: ResourceDefinition = ResourceDefinition {
    kind: "site_reports",
    path: Some(PATH),
    attributes: &[
        "language",
        "from",
        "to",
        "state",
        "percent",
        "reason",
        "reason_text",
        "sentences",
        "facts",
        "generator",
        "model",
        "prompt_hash",
        "fallback_reason",
        "checks",
        "seq",
        "time_zones",
        "program",
        "created_at",
        "updated_at",
        "finished_at",
        "expires_at",
    ],
    relationships: &[
        Relationship::to_one("worksite", "worksites", "Worksite").written_as("worksite_id"),
        Relationship::to_account("author"),
    ],
};

impl Resource for SiteReport {
    const NAME: &'static str = "SiteReport";
    const DEFINITION: &'static ResourceDefinition = &DEFINITION;
    const INCLUDES: &'static [&'static str] = &["worksite"];
    const INCLUDED_TYPES: &'static [IncludedType] = &[IncludedType::of::<Worksite>()];

    type Listed = Self;
}

impl Writable for SiteReport {
    type New = create::NewSiteReport;
    /// A site report cannot be changed.
    type Changed = create::NewSiteReport;
}

impl Collection for SiteReport {
    type Filter = SiteReportFilter;

    const FILTERS: &'static [Filter] = &[
        Filter::BY_ID,
        Filter {
            name: "filter[state]",
            description: "Returns site reports in these states only, separated by commas.",
            schema: several::<enum_schemas::ReportState>,
        },
        Filter {
            name: "filter[worksite]",
            description: "Returns site reports about the worksite with this id only.",
            schema: String::schema,
        },
    ];

    const SORTS: &'static [(&'static str, SortKey)] =
        &[("created_at", SortKey::CreatedAt), ("updated_at", SortKey::UpdatedAt)];

    /// The newest come first.
    const DEFAULT_SORTING: Sorting = Sorting::by(SortKey::Id, Direction::Descending);

    fn filter(query: &mut Query) -> Result<SiteReportFilter, Error> {
        Ok(SiteReportFilter {
            ids: query.comma_ids("filter[id]")?,
            worksite: query.id("filter[worksite]")?.map(WorksiteId),
            states: query.comma_list("filter[state]", ReportState::ALL.len(), ReportState::parse)?,
        })
    }
}
