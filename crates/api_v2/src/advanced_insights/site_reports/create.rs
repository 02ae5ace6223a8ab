//! POST /api/v2/advanced_insights/site_reports

use std::sync::Arc;

use app::reports::texts::Language;
use app::{App, Idempotent, SiteReportView};
use axum::extract::State;
use domain::access::ReadInsights;
use domain::{Invalid, Period, PeriodBound, WorksiteId};
use web::{Caller, Fields, IdempotentBody, NoParams, Result, enum_schemas, json_api_errors};

use super::documents::object;
use super::{DEFINITION, SiteReport};
use crate::json_api::{self, DocumentOf, Negotiated, NewOf, Payload, Target, with_pointers};

/// Attributes of a new site report. The relationship `worksite` is required.
#[web::body(parts)]
#[schema(as = NewSiteReportAttributes)]
pub struct NewSiteReport {
    /// Start of the period: a time (RFC 3339), or a date, which means the beginning of that day in the time zone of the worksite. The
    /// default is 28 local days, the day of `to` being the last of them.
    #[schema(example = "2026-02-01")]
    #[field(parse = PeriodBound::parse)]
    from: Option<PeriodBound>,
    /// End of the period, exclusive; a time or a date, as in `from`. The default is now.
    #[schema(example = "2026-03-01")]
    #[field(parse = PeriodBound::parse)]
    to: Option<PeriodBound>,
    /// Language of the texts; the default is yours.
    #[schema(value_type = Option<enum_schemas::TextLanguage>, example = "en")]
    #[field(parse = parse_language)]
    language: Option<Language>,
    /// Identifier of the worksite, from the relationship `worksite`.
    #[schema(ignore)]
    worksite_id: WorksiteId,
}

fn parse_language(text: &str) -> Result<Language, Invalid> {
    let words = Language::ALL.map(Language::as_str).join(", ");
    Language::parse(text).ok_or_else(|| Invalid::new("invalid_language", format!("must be one of {words}")))
}

fn read(fields: &mut Fields) -> Option<app::NewSiteReport> {
    let parts = NewSiteReport::read_parts(fields);
    Some(app::NewSiteReport {
        period: Period { from: parts.from?, to: parts.to? },
        language: parts.language?,
        worksite: parts.worksite_id?,
    })
}

type NewSiteReportDocument = NewOf<SiteReport>;
type SiteReportDocument = DocumentOf<SiteReport>;

/// Request a site report
///
/// The report is written in the background, from what you may see at that time: facts about the worksite are computed first, then
/// sentences are written that rest on them, by fixed rules or, if the installation has a language model, by that model, whose sentences
/// are checked against the facts. Poll it until its `state` is `ready`. Everyone whose projects cover what is in it can see it; names are
/// shown to those who may see them.
///
/// Answers 409 `too_many_reports` if 20 of your site reports are not finished.
#[web::operation(
    post, path = "/api/v2/advanced_insights/site_reports", tag = "site reports", operation_id = "request_site_report",
    request_body(content = NewSiteReportDocument, content_type = "application/vnd.api+json"),
    responses(
        (status = 201, description = "The site report was requested.", body = SiteReportDocument,
            content_type = "application/vnd.api+json"),
        json_api_errors::BadBody, json_api_errors::NotFound, json_api_errors::Conflict,
        json_api_errors::NegotiationFailed,
    ),
)]
pub async fn request_site_report(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadInsights>,
    _: Negotiated,
    _: NoParams,
    IdempotentBody { value, key }: IdempotentBody<Payload>,
) -> Result {
    let once = Idempotent::new(key, |view: &SiteReportView| {
        json_api::created_to_store(&object(view.clone())).with_version(view.report.version)
    });
    let made = with_pointers(&DEFINITION, async {
        let new = value.resource(&DEFINITION, &Target::New, read)?;
        app.request_site_report(&caller, new, once).await
    });
    Ok(json_api::render_stored(made.await?))
}
