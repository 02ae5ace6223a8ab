//! Reports: their rows, runs, files, schedules and written texts.

mod erasure;
mod expiry;
mod runs;
mod schedule_runs;
mod schedules;
mod site_reports;
mod visibility;

use domain::{
    PersonId, ProjectId, Report, ReportContent, ReportFormat, ReportId, ReportKind, ReportSubject, Role,
    Timestamp, UserId,
};
use store::{
    NewReportFile, NewReportRow, Platform, Projects, ReportCoverage, ReportObject, Scope, Store,
    StoredFigures,
};
use testkit::TestApp;

/// The store of a brand, "Acme", with the user 1.
struct Rows {
    app: TestApp,
    store: Store,
    platform: Platform,
    scope: Scope,
}

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_seconds(seconds)
}

fn projects(ids: &[i64]) -> ReportCoverage {
    ReportCoverage::Projects(ids.iter().copied().map(ProjectId).collect())
}

fn content(upload: &str) -> ReportContent {
    ReportContent { size_bytes: 3, sha256: vec![1, 2, 3], upload: upload.to_owned() }
}

/// A report that names people, about everything.
fn new_report() -> NewReportRow {
    NewReportRow {
        author: UserId(1),
        requester: UserId(1),
        kind: ReportKind::Incursions,
        format: ReportFormat::Pdf,
        subject: ReportSubject::default(),
        schedule: None,
        site_report: None,
        request: "{}".to_owned(),
        from: "2026-02-01".to_owned(),
        to: "2026-02-28".to_owned(),
        coverage: ReportCoverage::AllProjects,
        names_people: true,
    }
}

fn figures(upload: &str, coverage: ReportCoverage, people: &[i64]) -> StoredFigures {
    StoredFigures {
        content: content(upload),
        seq: 7,
        time_zones: r#"["UTC"]"#.to_owned(),
        program: "Keepclear 1".to_owned(),
        coverage,
        people: people.iter().copied().map(PersonId).collect(),
    }
}

fn file(format: ReportFormat, upload: &str) -> NewReportFile {
    NewReportFile { format, content: content(upload) }
}

/// Returns the uploads of objects, sorted.
fn uploads(objects: &[ReportObject]) -> Vec<&str> {
    let mut uploads: Vec<&str> = objects.iter().map(|object| object.upload.as_str()).collect();
    uploads.sort_unstable();
    uploads
}

impl Rows {
    async fn new(app: TestApp) -> Self {
        app.create_user("ada@example.com", Role::Admin).await;
        let (store, platform) = app.database().open().await;
        let scope = platform.scope(app.ensure_brand("Acme").await.id, Projects::All);
        Self { app, store, platform, scope }
    }

    /// Returns the scope of a reader who sees only these projects.
    fn only(&self, ids: &[i64]) -> Scope {
        let projects = ids.iter().copied().map(ProjectId).collect();
        self.platform.scope(self.scope.brand(), Projects::Only(projects))
    }

    async fn add(&self, new: &NewReportRow) -> ReportId {
        let mut tx = self.store.begin().await.unwrap();
        let id = tx.reports_of(&self.scope).add(new, at(1)).await.unwrap();
        tx.commit().await.unwrap();
        id
    }

    /// Begins a run about everything, and returns its generation.
    async fn begin(&self, id: ReportId) -> Option<i64> {
        let mut tx = self.store.begin().await.unwrap();
        let everything = ReportCoverage::AllProjects;
        let generation = tx.reports_of(&self.scope).begin(id, &everything, true, at(2)).await.unwrap();
        tx.commit().await.unwrap();
        generation
    }

    /// Adds a report, begins it and stores its figures, whose upload is `figures-{id}`. Returns its generation, too.
    async fn running(&self, new: &NewReportRow, people: &[i64]) -> (ReportId, i64) {
        let id = self.add(new).await;
        let generation = self.begin(id).await.unwrap();
        let stored = figures(&format!("figures-{id}"), new.coverage.clone(), people);
        let mut tx = self.store.begin().await.unwrap();
        assert!(tx.reports_of(&self.scope).set_figures(id, generation, &stored, at(3)).await.unwrap());
        tx.commit().await.unwrap();
        (id, generation)
    }

    /// The same, with a PDF, whose upload is `pdf-{id}`, and finished. It expires at 100 s.
    async fn ready(&self, new: &NewReportRow, people: &[i64]) -> ReportId {
        let (id, generation) = self.running(new, people).await;
        let pdf = file(ReportFormat::Pdf, &format!("pdf-{id}"));
        let mut tx = self.store.begin().await.unwrap();
        let mut reports = tx.reports_of(&self.scope);
        assert_eq!(reports.put_file(id, generation, &pdf, at(4)).await.unwrap(), Some(Vec::new()));
        assert!(reports.finish(id, generation, (at(4), at(100))).await.unwrap());
        tx.commit().await.unwrap();
        id
    }

    async fn find(&self, id: ReportId) -> Report {
        let mut tx = self.store.read().await.unwrap();
        tx.reports_of(&self.scope).find(id).await.unwrap().unwrap()
    }

    async fn figures(&self, id: ReportId) -> Option<ReportContent> {
        self.store.read().await.unwrap().reports_of(&self.scope).figures(id).await.unwrap()
    }
}
