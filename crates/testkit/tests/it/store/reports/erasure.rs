//! Erasing a person finds the files that name them, and no others.

use domain::{PersonId, ReportFormat, ReportState};
use testkit::{TestApp, on_both_engines};

use super::{Rows, at, file, new_report, uploads};

on_both_engines!(erasing_finds_exactly_the_files_that_name_a_person, a_file_that_is_being_made_is_refused);

async fn erasing_finds_exactly_the_files_that_name_a_person(app: TestApp) {
    let rows = Rows::new(app).await;
    let queued = rows.add(&new_report()).await;
    let names_them = rows.ready(&new_report(), &[4, 5, 5]).await;
    let names_another = rows.ready(&new_report(), &[6]).await;
    let mut nameless = new_report();
    nameless.names_people = false;
    let nameless = rows.nameless(&nameless).await;
    let (running, generation) = rows.running(&new_report(), &[6]).await;
    let mut tx = rows.store.begin().await.unwrap();
    let mut reports = tx.reports_of(&rows.scope);
    // Written, but not finished yet.
    let csv = file(ReportFormat::Csv, "csv");
    reports.put_file(running, generation, &csv, at(5)).await.unwrap().unwrap();
    let before = reports.find(names_them).await.unwrap().unwrap();

    let (gone, remade) = reports.erase_person(PersonId(5), at(9)).await.unwrap();
    assert_eq!(remade, [names_them], "the running one has a job");
    assert_eq!(uploads(&gone), ["csv".to_owned(), format!("pdf-{names_them}")]);
    let after = reports.find(names_them).await.unwrap().unwrap();
    assert_eq!((after.state, after.content), (ReportState::Queued, None));
    assert!(after.generation > before.generation && after.version > before.version);
    assert!(reports.figures(names_them).await.unwrap().is_some(), "the figures hold no names");
    for (id, state) in [
        (queued, ReportState::Queued),
        (names_another, ReportState::Ready),
        (nameless, ReportState::Ready),
        (running, ReportState::Queued),
    ] {
        assert_eq!(reports.find(id).await.unwrap().unwrap().state, state, "{id}");
    }
    assert!(!reports.finish(running, generation, (at(9), at(100))).await.unwrap());
    assert_eq!(reports.erase_person(PersonId(5), at(9)).await.unwrap(), (Vec::new(), Vec::new()));
    tx.commit().await.unwrap();
    let people = testkit::query_raw_sql(
        rows.app.database(),
        "select cast(person_id as text) from report_people order by person_id, report_id",
    );
    assert_eq!(people.await, ["4", "6", "6"]);
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
