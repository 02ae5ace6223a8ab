//! Erasing a person finds the files that name them, and no others.

use domain::{PersonId, ReportFormat, ReportState, UserId};
use store::ReportCoverage;
use testkit::{TestApp, on_both_engines};

use super::{Rows, at, file, new_report, uploads};

on_both_engines!(
    erasing_finds_exactly_the_files_that_name_a_person,
    what_is_made_again_loses_its_files_only_if_they_name_the_person,
    a_file_that_is_being_made_is_refused,
);

async fn erasing_finds_exactly_the_files_that_name_a_person(app: TestApp) {
    let rows = Rows::new(app).await;
    let queued = rows.add(&new_report()).await;
    let names_them = rows.ready(&new_report(), &[4, 5, 5]).await;
    let names_another = rows.ready(&new_report(), &[6]).await;
    let mut nameless = new_report();
    nameless.names_people = false;
    let nameless = rows.nameless(&nameless).await;
    // Whom the first of these names is not known yet.
    let (without_figures, with_figures) = (rows.add(&new_report()).await, rows.add(&new_report()).await);
    let first_generation = rows.begin(without_figures).await.unwrap();
    let generation = rows.begin(with_figures).await.unwrap();
    let mut tx = rows.store.begin().await.unwrap();
    let mut reports = tx.reports_of(&rows.scope);
    let stored = super::figures("of-another", ReportCoverage::AllProjects, &[6]);
    assert!(reports.set_figures(with_figures, generation, &stored, at(3)).await.unwrap());
    let before = reports.find(names_them).await.unwrap().unwrap();

    let (gone, remade) = reports.erase_person(PersonId(5), at(9)).await.unwrap();
    assert_eq!(remade, [names_them], "the running one has a job");
    assert_eq!(uploads(&gone), [format!("pdf-{names_them}")]);
    let after = reports.find(names_them).await.unwrap().unwrap();
    assert_eq!((after.state, after.content), (ReportState::Queued, None));
    assert!(after.generation > before.generation && after.version > before.version);
    assert!(reports.figures(names_them).await.unwrap().is_some(), "the figures hold no names");
    for (id, state) in [
        (queued, ReportState::Queued),
        (names_another, ReportState::Ready),
        (nameless, ReportState::Ready),
        (without_figures, ReportState::Queued),
        (with_figures, ReportState::Running),
    ] {
        assert_eq!(reports.find(id).await.unwrap().unwrap().state, state, "{id}");
    }
    assert!(!reports.record_progress(without_figures, first_generation, 50, at(9)).await.unwrap());
    assert!(reports.record_progress(with_figures, generation, 80, at(9)).await.unwrap());
    assert_eq!(reports.erase_person(PersonId(5), at(9)).await.unwrap(), (Vec::new(), Vec::new()));
    tx.commit().await.unwrap();
    let people = testkit::query_raw_sql(
        rows.app.database(),
        "select cast(person_id as text) from report_people order by person_id, report_id",
    );
    assert_eq!(people.await, ["4", "6", "6"]);
}

async fn what_is_made_again_loses_its_files_only_if_they_name_the_person(app: TestApp) {
    let rows = Rows::new(app).await;
    let mut ids = Vec::new();
    for person in [5, 5, 6] {
        ids.push(rows.ready(&new_report(), &[person]).await);
    }
    let [waiting, running, of_another] = ids[..] else { panic!("{ids:?}") };
    let mut tx = rows.store.begin().await.unwrap();
    for id in [waiting, running, of_another] {
        assert!(tx.reports_of(&rows.scope).queue_again(id, UserId(1), at(5)).await.unwrap());
    }
    tx.commit().await.unwrap();
    let (superseded, held) = (rows.begin(running).await.unwrap(), rows.begin(of_another).await.unwrap());
    let mut tx = rows.store.begin().await.unwrap();
    let mut reports = tx.reports_of(&rows.scope);
    let (gone, without_job) = reports.erase_person(PersonId(5), at(9)).await.unwrap();
    assert_eq!(uploads(&gone), [format!("pdf-{waiting}"), format!("pdf-{running}")]);
    assert!(without_job.is_empty(), "all of them have jobs: {without_job:?}");
    for id in [waiting, running] {
        let report = reports.find(id).await.unwrap().unwrap();
        assert_eq!((report.state, report.content), (ReportState::Queued, None));
    }
    let pdf = file(ReportFormat::Pdf, "new");
    assert_eq!(reports.put_file(running, superseded, &pdf, at(9)).await.unwrap(), None);
    let replaced = reports.put_file(of_another, held, &pdf, at(9)).await.unwrap().unwrap();
    assert_eq!(uploads(&replaced), [format!("pdf-{of_another}")]);
}

async fn a_file_that_is_being_made_is_refused(app: TestApp) {
    let rows = Rows::new(app).await;
    let id = rows.ready(&new_report(), &[5]).await;
    let generation = rows.find(id).await.generation;
    let mut tx = rows.store.begin().await.unwrap();
    let mut reports = tx.reports_of(&rows.scope);
    reports.erase_person(PersonId(5), at(9)).await.unwrap();
    let late = file(ReportFormat::Csv, "late");
    assert_eq!(reports.put_file(id, generation, &late, at(9)).await.unwrap(), None);
    assert_eq!(reports.file(id, ReportFormat::Csv).await.unwrap(), None);
}

impl Rows {
    /// Makes a report without names ready.
    async fn nameless(&self, new: &store::NewReportRow) -> domain::ReportId {
        let id = self.add(new).await;
        let mut tx = self.store.begin().await.unwrap();
        let mut reports = tx.reports_of(&self.scope);
        let generation = reports.begin(id, &new.coverage, false, at(2)).await.unwrap().unwrap();
        let stored = super::figures("nameless", new.coverage.clone(), &[]);
        assert!(reports.set_figures(id, generation, &stored, at(3)).await.unwrap());
        let pdf = file(ReportFormat::Pdf, "nameless-pdf");
        reports.put_file(id, generation, &pdf, at(3)).await.unwrap().unwrap();
        assert!(reports.finish(id, generation, (at(4), at(100))).await.unwrap());
        tx.commit().await.unwrap();
        id
    }
}
