//! Builds the resource objects of reports and their included resources.

use app::{App, Caller, Error, ReportView};
use domain::ReportSubject;
use domain::access::{ReadInsights, ReadRegistry};
use web::ReportRecord;

use super::{PATH, Report};
use crate::json_api::{Identifier, Include, Included, Linkage, Relationship, ResourceObject};
use crate::{machines, people, projects, related, worksites};

/// Builds the resource object of a report.
pub fn object(view: impl Into<ReportView>) -> ResourceObject {
    let view = view.into();
    let report = &view.report;
    let (subject, schedule) = (report.subject, report.schedule);
    let (author, author_kind) = (report.author.id, Relationship::type_of_account(report.author.kind));
    let record = web::shape_report(view, PATH);
    let id = record.id;
    let mut object = ResourceObject::with_all_attributes(id, &attributes(record));
    let to = |kind: &'static str, id: Option<i64>| Linkage::One(id.map(|id| Identifier::new(kind, id)));
    object.link("project", to(projects::DEFINITION.kind, subject.project.map(|id| id.0)));
    object.link("worksite", to(worksites::DEFINITION.kind, subject.worksite.map(|id| id.0)));
    object.link("machine", to(machines::DEFINITION.kind, subject.machine.map(|id| id.0)));
    object.link("person", to(people::DEFINITION.kind, subject.person.map(|id| id.0)));
    object.link("schedule", to("report_schedules", schedule.map(|id| id.0)));
    object.link("author", to(author_kind, author));
    object
}

fn attributes(record: ReportRecord) -> Report {
    Report {
        kind: record.kind,
        format: record.format,
        formats: record.formats,
        site_report_id: record.site_report_id,
        from: record.from,
        to: record.to,
        state: record.state,
        percent: record.percent,
        reason: record.reason,
        reason_text: record.reason_text,
        names_people: record.names_people,
        seq: record.seq,
        time_zones: record.time_zones,
        program: record.program,
        file_name: record.file_name,
        content_type: record.content_type,
        size_bytes: record.size_bytes,
        sha256: record.sha256,
        download: record.download,
        created_at: record.created_at,
        updated_at: record.updated_at,
        finished_at: record.finished_at,
        expires_at: record.expires_at,
    }
}

/// Builds the resource objects of reports and adds what `include` asks for. A subject that is gone is left out.
pub async fn objects(
    app: &App,
    caller: &Caller<ReadInsights>,
    reports: Vec<ReportView>,
    include: &Include,
    included: &mut Included,
) -> Result<Vec<ResourceObject>, Error> {
    if include.is_given() {
        let caller = caller.with_permission::<ReadRegistry>()?;
        let subjects: Vec<ReportSubject> = reports.iter().map(|view| view.report.subject).collect();
        if include.includes("project") {
            let projects = subjects.iter().filter_map(|subject| subject.project).collect();
            related::include_projects(app, &caller, projects, included).await?;
        }
        if include.includes("worksite") {
            let worksites = subjects.iter().filter_map(|subject| subject.worksite).collect();
            related::include_worksites(app, &caller, worksites, included).await?;
        }
        if include.includes("machine") {
            let machines = subjects.iter().filter_map(|subject| subject.machine).collect();
            related::include_machines(app, &caller, machines, included).await?;
        }
        if include.includes("person") {
            let people = subjects.iter().filter_map(|subject| subject.person).collect();
            related::include_people(app, &caller, people, included).await?;
        }
    }
    Ok(reports.into_iter().map(object).collect())
}
