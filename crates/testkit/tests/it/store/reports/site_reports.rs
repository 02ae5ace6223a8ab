//! Written site reports: their runs, their text and who sees them.

use domain::{
    Direction, ReportState, SiteReportFilter, SiteReportGenerator, SiteReportId, SortKey, Sorting, UserId,
    Window, WindowPosition, WorksiteId,
};
use store::{NewJob, NewSiteReport, ReportCoverage, Scope, SiteReportText};
use testkit::{TestApp, on_both_engines};

use super::{Rows, at, projects};

on_both_engines!(
    a_site_report_is_begun_written_and_ended,
    a_superseded_text_is_refused,
    readers_see_what_their_projects_cover,
    texts_past_their_retention_are_removed,
    abandoned_ones_fail,
);

fn new(worksite: i64, coverage: ReportCoverage) -> NewSiteReport {
    NewSiteReport {
        author: UserId(1),
        worksite: WorksiteId(worksite),
        language: "de",
        from: "2026-02-01".to_owned(),
        to: "2026-02-28".to_owned(),
        coverage,
    }
}

fn text(coverage: ReportCoverage) -> SiteReportText {
    SiteReportText {
        facts: r#"{"facts":[]}"#.to_owned(),
        sentences: "[]".to_owned(),
        generator: SiteReportGenerator::Model,
        checks: "{}".to_owned(),
        fallback_reason: None,
        model: Some("small".to_owned()),
        prompt_sha256: Some(vec![7; 32]),
        seq: 7,
        time_zones: r#"["UTC"]"#.to_owned(),
        program: "Keepclear 1".to_owned(),
        coverage,
    }
}

impl Rows {
    async fn add_site_report(&self, new: &NewSiteReport) -> SiteReportId {
        let mut tx = self.store.begin().await.unwrap();
        let id = tx.site_reports_of(&self.scope).add(new, at(1)).await.unwrap();
        tx.commit().await.unwrap();
        id
    }

    /// Adds a site report whose text covers these projects. It expires at 100 s.
    async fn written(&self, worksite: i64, coverage: ReportCoverage) -> SiteReportId {
        let id = self.add_site_report(&new(worksite, ReportCoverage::AllProjects)).await;
        let mut tx = self.store.begin().await.unwrap();
        let mut reports = tx.site_reports_of(&self.scope);
        let generation = reports.begin(id, at(2)).await.unwrap().unwrap();
        let written = text(coverage);
        assert!(reports.finish(id, generation, &written, (at(4), at(100))).await.unwrap());
        tx.commit().await.unwrap();
        id
    }
}

async fn a_site_report_is_begun_written_and_ended(app: TestApp) {
    let rows = Rows::new(app).await;
    let id = rows.add_site_report(&new(4, projects(&[1]))).await;
    let mut tx = rows.store.begin().await.unwrap();
    let mut reports = tx.site_reports_of(&rows.scope);
    let queued = reports.find(id).await.unwrap().unwrap();
    assert_eq!((queued.state, queued.worksite), (ReportState::Queued, WorksiteId(4)));
    assert_eq!((&*queued.language, &*queued.from), ("de", "2026-02-01"));
    assert_eq!((queued.facts, queued.generator), (None, None));
    assert_eq!(reports.count_unfinished(UserId(1)).await.unwrap(), 1);
    let generation = reports.begin(id, at(2)).await.unwrap().unwrap();
    assert!(reports.record_progress(id, generation, 50, at(3)).await.unwrap());
    assert_eq!(reports.find(id).await.unwrap().unwrap().percent, 50);
    let written = text(projects(&[1]));
    assert!(reports.finish(id, generation, &written, (at(4), at(100))).await.unwrap());
    let ready = reports.find(id).await.unwrap().unwrap();
    assert_eq!((ready.state, ready.percent, ready.version), (ReportState::Ready, 100, 4));
    assert_eq!((&ready.facts, &ready.sentences), (&Some(written.facts), &Some(written.sentences)));
    assert_eq!((ready.generator, &ready.model), (Some(SiteReportGenerator::Model), &written.model));
    assert_eq!((&ready.prompt_sha256, ready.seq), (&written.prompt_sha256, Some(7)));
    assert_eq!(reports.count_unfinished(UserId(1)).await.unwrap(), 0);

    reports.end(&ready, "deleted", at(9)).await.unwrap();
    let ended = reports.find(id).await.unwrap().unwrap();
    assert_eq!((ended.state, ended.reason.as_deref()), (ReportState::Expired, Some("deleted")));
    assert_eq!((ended.facts, ended.sentences, ended.checks), (None, None, None));
    assert_eq!(ended.finished_at, Some(at(4)));
}

async fn a_superseded_text_is_refused(app: TestApp) {
    let rows = Rows::new(app).await;
    let id = rows.add_site_report(&new(4, projects(&[1]))).await;
    let mut tx = rows.store.begin().await.unwrap();
    let mut reports = tx.site_reports_of(&rows.scope);
    let old = reports.begin(id, at(2)).await.unwrap().unwrap();
    let current = reports.begin(id, at(3)).await.unwrap().unwrap();
    let written = text(projects(&[1]));
    assert!(!reports.record_progress(id, old, 50, at(3)).await.unwrap());
    assert!(!reports.finish(id, old, &written, (at(4), at(100))).await.unwrap());
    assert!(reports.fail(id, "given_up", at(5)).await.unwrap());
    assert!(!reports.fail(id, "again", at(5)).await.unwrap());
    assert!(!reports.finish(id, current, &written, (at(6), at(100))).await.unwrap());
    assert_eq!(reports.begin(id, at(6)).await.unwrap(), None);
    let failed = reports.find(id).await.unwrap().unwrap();
    assert_eq!((failed.state, failed.reason.as_deref()), (ReportState::Failed, Some("given_up")));
}

async fn seen(rows: &Rows, scope: &Scope, filter: &SiteReportFilter) -> Vec<i64> {
    let mut tx = rows.store.begin().await.unwrap();
    let mut reports = tx.visible_site_reports(scope);
    let newest_first = Sorting::by(SortKey::Id, Direction::Descending);
    let window = Window { size: 50, position: WindowPosition::Start };
    let slice = reports.slice(filter, newest_first, &window).await.unwrap();
    let ids: Vec<i64> = slice.rows.iter().map(|report| report.id.0).collect();
    assert_eq!(reports.count(filter).await.unwrap(), i64::try_from(ids.len()).unwrap());
    for id in &ids {
        assert!(reports.find(SiteReportId(*id)).await.unwrap().is_some());
        assert!(reports.find_locked(SiteReportId(*id)).await.unwrap().is_some());
    }
    ids
}

async fn readers_see_what_their_projects_cover(app: TestApp) {
    let rows = Rows::new(app).await;
    rows.written(4, ReportCoverage::AllProjects).await;
    rows.written(4, projects(&[1])).await;
    rows.written(5, projects(&[1, 2])).await;
    let all = SiteReportFilter::default();
    for (scope, expected) in [
        (rows.scope.clone(), &[3, 2, 1][..]),
        (rows.only(&[1, 2]), &[3, 2]),
        (rows.only(&[1]), &[2]),
        (rows.only(&[2]), &[]),
        (rows.only(&[]), &[]),
    ] {
        assert_eq!(seen(&rows, &scope, &all).await, expected, "{scope:?}");
    }
    for (filter, expected) in [
        (SiteReportFilter { worksite: Some(WorksiteId(4)), ..all.clone() }, &[2, 1][..]),
        (SiteReportFilter { ids: Some(vec![3, 9]), ..all.clone() }, &[3]),
        (SiteReportFilter { states: vec![ReportState::Queued], ..all.clone() }, &[]),
    ] {
        assert_eq!(seen(&rows, &rows.scope, &filter).await, expected, "{filter:?}");
    }
}

async fn texts_past_their_retention_are_removed(app: TestApp) {
    let rows = Rows::new(app).await;
    let (id, other) = (rows.written(4, projects(&[1])).await, rows.written(4, projects(&[1])).await);
    let mut tx = rows.store.begin().await.unwrap();
    assert_eq!(tx.expired_reports(&rows.platform).expire_site_reports(at(99), 10).await.unwrap(), 0);
    assert_eq!(tx.expired_reports(&rows.platform).expire_site_reports(at(100), 1).await.unwrap(), 1);
    let expired = tx.site_reports_of(&rows.scope).find(id).await.unwrap().unwrap();
    assert_eq!((expired.state, expired.facts, expired.sentences), (ReportState::Expired, None, None));
    let waiting = tx.site_reports_of(&rows.scope).find(other).await.unwrap().unwrap();
    assert_eq!(waiting.state, ReportState::Ready, "one at a time");
    assert_eq!(tx.expired_reports(&rows.platform).expire_site_reports(at(100), 10).await.unwrap(), 1);
    assert_eq!(tx.expired_reports(&rows.platform).delete_before(at(100), 10).await.unwrap(), 0);
    assert!(tx.site_reports_of(&rows.scope).find(id).await.unwrap().is_some());
    assert_eq!(tx.expired_reports(&rows.platform).delete_before(at(101), 10).await.unwrap(), 2);
    assert!(tx.site_reports_of(&rows.scope).find(id).await.unwrap().is_none());
}

async fn abandoned_ones_fail(app: TestApp) {
    let rows = Rows::new(app).await;
    rows.app.allow_leftover_jobs();
    let requested = new(4, projects(&[1]));
    let (abandoned, alive) = (rows.add_site_report(&requested).await, rows.add_site_report(&requested).await);
    let mut tx = rows.store.begin().await.unwrap();
    for id in [abandoned, alive] {
        let brand = Some(rows.scope.brand());
        let job = NewJob { kind: "site_report_build", payload: "{}", run_at: at(1), brand };
        let job = tx.jobs(&rows.platform).enqueue(&job, at(1)).await.unwrap();
        tx.site_reports_of(&rows.scope).set_job(id, job).await.unwrap();
    }
    tx.commit().await.unwrap();
    let give_up = format!(
        "update jobs set state = 'failed' where id = (select job_id from site_reports where id = {abandoned})"
    );
    testkit::execute_raw_sql(rows.app.database(), &give_up).await.unwrap();
    let mut tx = rows.store.begin().await.unwrap();
    let mut expired = tx.expired_reports(&rows.platform);
    assert_eq!(expired.fail_abandoned_site_reports(at(9), 10).await.unwrap(), 1);
    assert_eq!(expired.fail_abandoned_site_reports(at(9), 10).await.unwrap(), 0);
    let failed = tx.site_reports_of(&rows.scope).find(abandoned).await.unwrap().unwrap();
    assert_eq!((failed.state, failed.reason.as_deref()), (ReportState::Failed, Some("given_up")));
    let alive = tx.site_reports_of(&rows.scope).find(alive).await.unwrap().unwrap();
    assert_eq!(alive.state, ReportState::Queued);
}
