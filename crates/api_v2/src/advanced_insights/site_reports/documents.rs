//! Builds the resource objects of site reports and their included resources.

use app::{App, Caller, Error, SiteReportView};
use domain::access::{ReadInsights, ReadRegistry};
use domain::encode_hex;

use super::SiteReport;
use crate::json_api::{Identifier, Include, Included, Linkage, Relationship, ResourceObject};
use crate::{related, worksites};

/// Builds the resource object of a site report.
pub fn object(view: SiteReportView) -> ResourceObject {
    let SiteReportView { report, facts, sentences, reason_text } = view;
    let (id, worksite) = (report.id.0, report.worksite.0);
    let (author, author_kind) = (report.author.id, Relationship::type_of_account(report.author.kind));
    let attributes = SiteReport {
        state: report.state.as_str(),
        percent: report.percent,
        reason_text,
        sentences: sentences.into_iter().map(Into::into).collect(),
        facts: facts.into_iter().map(Into::into).collect(),
        generator: report.generator.map(domain::SiteReportGenerator::as_str),
        prompt_hash: report.prompt_sha256.as_deref().map(encode_hex),
        // Both texts were serialised by the program itself.
        checks: report.checks.as_deref().and_then(|checks| serde_json::from_str(checks).ok()),
        time_zones: report.time_zones.as_deref().and_then(|zones| serde_json::from_str(zones).ok()),
        seq: report.seq,
        created_at: report.created_at,
        updated_at: report.updated_at,
        finished_at: report.finished_at,
        expires_at: report.expires_at,
        language: report.language,
        from: report.from,
        to: report.to,
        reason: report.reason,
        model: report.model,
        fallback_reason: report.fallback_reason,
        program: report.program,
    };
    let mut object = ResourceObject::with_all_attributes(id, &attributes);
    object.link("worksite", Linkage::One(Some(Identifier::new(worksites::DEFINITION.kind, worksite))));
    object.link("author", Linkage::One(author.map(|id| Identifier::new(author_kind, id))));
    object
}

/// Builds the resource objects of site reports and adds what `include` asks for. A worksite that is gone is left out.
pub async fn objects(
    app: &App,
    caller: &Caller<ReadInsights>,
    reports: Vec<SiteReportView>,
    include: &Include,
    included: &mut Included,
) -> Result<Vec<ResourceObject>, Error> {
    if include.includes("worksite") {
        let caller = caller.with_permission::<ReadRegistry>()?;
        let sites = reports.iter().map(|view| view.report.worksite).collect();
        related::include_worksites(app, &caller, sites, included).await?;
    }
    Ok(reports.into_iter().map(object).collect())
}
