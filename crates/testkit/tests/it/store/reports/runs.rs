//! The runs of reports, and what they store.

use domain::{PersonId, ReportFormat, ReportState, Role, UserId};
use store::{ReportCoverage, ReportViewer};
use testkit::{TestApp, on_both_engines};

use super::{Rows, at, content, figures, file, new_report, projects, uploads};

on_both_engines!(
    a_report_is_begun_filled_and_finished,
    a_superseded_run_writes_nothing,
    a_file_takes_the_place_of_the_one_of_its_format,
    a_remake_keeps_the_figures_and_what_they_cover,
    a_remake_counts_for_whoever_has_it_made,
    what_fails_at_first_has_nothing_and_what_was_ready_stays_so,
    ending_cancels_or_takes_everything_away,
);

async fn a_report_is_begun_filled_and_finished(app: TestApp) {
    let rows = Rows::new(app).await;
    let id = rows.add(&new_report()).await;
    let queued = rows.find(id).await;
    assert_eq!((queued.state, queued.percent, queued.version), (ReportState::Queued, 0, 1));
    assert_eq!((queued.author.id, queued.author.name.as_deref()), (Some(1), Some("ada")));
    assert_eq!((queued.from.as_str(), queued.to.as_str()), ("2026-02-01", "2026-02-28"));

    let generation = rows.begin(id).await.unwrap();
    let mut tx = rows.store.begin().await.unwrap();
    let mut reports = tx.reports_of(&rows.scope);
    assert_eq!(reports.count_unfinished(UserId(1)).await.unwrap(), 1);
    assert_eq!(reports.count_unfinished(UserId(2)).await.unwrap(), 0);
    assert!(reports.record_progress(id, generation, 40, at(3)).await.unwrap());
    let stored = figures("1-a", projects(&[3]), &[5]);
    assert!(reports.set_figures(id, generation, &stored, at(4)).await.unwrap());
    reports.put_file(id, generation, &file(ReportFormat::Pdf, "1-b"), at(5)).await.unwrap().unwrap();
    let running = reports.find(id).await.unwrap().unwrap();
    assert_eq!((running.state, running.percent), (ReportState::Running, 40));
    assert!(reports.finish(id, generation, (at(6), at(100))).await.unwrap());
    tx.commit().await.unwrap();

    let ready = rows.find(id).await;
    assert_eq!((ready.state, ready.percent, ready.reason), (ReportState::Ready, 100, None));
    assert_eq!((ready.seq, ready.figures_at), (Some(7), Some(at(4))));
    assert_eq!(ready.time_zones.as_deref(), Some(r#"["UTC"]"#));
    assert_eq!(ready.content, Some(content("1-b")));
    assert_eq!((ready.finished_at, ready.expires_at), (Some(at(6)), Some(at(100))));
    assert!(ready.version > running.version && running.version > queued.version);
    assert_eq!(rows.figures(id).await, Some(content("1-a")));
    assert_eq!(rows.begin(id).await, None, "it has ended");
}

async fn a_superseded_run_writes_nothing(app: TestApp) {
    let rows = Rows::new(app).await;
    let id = rows.add(&new_report()).await;
    let old = rows.begin(id).await.unwrap();
    let new = rows.begin(id).await.unwrap();
    assert_ne!(old, new);
    let mut tx = rows.store.begin().await.unwrap();
    let mut reports = tx.reports_of(&rows.scope);
    let stored = figures("1-a", ReportCoverage::AllProjects, &[5]);
    assert!(!reports.record_progress(id, old, 90, at(9)).await.unwrap());
    assert!(!reports.set_figures(id, old, &stored, at(9)).await.unwrap());
    let pdf = file(ReportFormat::Pdf, "1-b");
    assert_eq!(reports.put_file(id, old, &pdf, at(9)).await.unwrap(), None);
    assert!(!reports.finish(id, old, (at(9), at(100))).await.unwrap());
    assert!(reports.set_figures(id, new, &stored, at(9)).await.unwrap());
    tx.commit().await.unwrap();
    let found = rows.find(id).await;
    assert_eq!((found.state, found.percent, found.content), (ReportState::Running, 0, None));
}

async fn a_file_takes_the_place_of_the_one_of_its_format(app: TestApp) {
    let rows = Rows::new(app).await;
    let id = rows.ready(&new_report(), &[]).await;
    let before = rows.find(id).await;
    let mut tx = rows.store.begin().await.unwrap();
    let mut reports = tx.reports_of(&rows.scope);
    let generation = before.generation;
    let csv = file(ReportFormat::Csv, "csv");
    assert_eq!(reports.put_file(id, generation, &csv, at(8)).await.unwrap(), Some(Vec::new()));
    assert_eq!(reports.file(id, ReportFormat::Csv).await.unwrap(), Some(content("csv")));
    assert_eq!(reports.file(id, ReportFormat::Xlsx).await.unwrap(), None);
    let same = reports.find(id).await.unwrap().unwrap();
    assert_eq!((same.version, same.updated_at), (before.version, before.updated_at), "it is not shown");
    let pdf = file(ReportFormat::Pdf, "again");
    let replaced = reports.put_file(id, generation, &pdf, at(9)).await.unwrap().unwrap();
    assert_eq!(uploads(&replaced), [format!("pdf-{id}")]);
    let shown = reports.find(id).await.unwrap().unwrap();
    assert_eq!((shown.content, shown.updated_at), (Some(content("again")), at(9)));
    assert!(shown.version > before.version);
}

async fn a_remake_keeps_the_figures_and_what_they_cover(app: TestApp) {
    let rows = Rows::new(app).await;
    let mut new = new_report();
    (new.coverage, new.names_people) = (projects(&[3]), false);
    let id = rows.add(&new).await;
    let mut tx = rows.store.begin().await.unwrap();
    let mut reports = tx.reports_of(&rows.scope);
    assert!(!reports.queue_again(id, UserId(1), at(2)).await.unwrap(), "it is not ready");
    let generation = reports.begin(id, &new.coverage, false, at(2)).await.unwrap().unwrap();
    let stored = figures("1-a", new.coverage.clone(), &[]);
    assert!(reports.set_figures(id, generation, &stored, at(3)).await.unwrap());
    reports.put_file(id, generation, &file(ReportFormat::Pdf, "1-b"), at(3)).await.unwrap().unwrap();
    assert!(reports.finish(id, generation, (at(4), at(100))).await.unwrap());

    reports.put_file(id, generation, &file(ReportFormat::Csv, "1-c"), at(4)).await.unwrap().unwrap();

    assert!(reports.queue_again(id, UserId(1), at(5)).await.unwrap());
    let queued = reports.find(id).await.unwrap().unwrap();
    assert_eq!((queued.state, queued.content), (ReportState::Queued, Some(content("1-b"))), "its file stays");
    // Whoever makes it now may see more, but it says the same.
    let again = reports.begin(id, &ReportCoverage::AllProjects, true, at(6)).await.unwrap().unwrap();
    assert_eq!(reports.figures(id).await.unwrap(), Some(content("1-a")));
    let late = file(ReportFormat::Json, "late");
    assert_eq!(reports.put_file(id, generation, &late, at(6)).await.unwrap(), None, "of the run before");
    let pdf = file(ReportFormat::Pdf, "1-d");
    let replaced = reports.put_file(id, again, &pdf, at(7)).await.unwrap().unwrap();
    assert_eq!(uploads(&replaced), ["1-b"]);
    assert_eq!(uploads(&reports.remove_other_files(id, ReportFormat::Pdf).await.unwrap()), ["1-c"]);
    assert!(reports.finish(id, again, (at(7), at(999))).await.unwrap());
    tx.commit().await.unwrap();
    assert_eq!(rows.find(id).await.content, Some(content("1-d")));
    let ready = rows.find(id).await;
    assert_eq!((ready.names_people, ready.finished_at), (false, Some(at(7))));
    assert_eq!(ready.expires_at, Some(at(100)), "a remake does not keep it longer");
    let mut tx = rows.store.read().await.unwrap();
    let reader = rows.only(&[3]);
    let mut visible = tx.visible_reports(&reader, ReportViewer { sees_names: false });
    assert!(visible.find(id).await.unwrap().is_some());
}

async fn a_remake_counts_for_whoever_has_it_made(app: TestApp) {
    let rows = Rows::new(app).await;
    rows.app.create_user("bob@example.com", Role::Member).await;
    let (one, other) = (rows.ready(&new_report(), &[5]).await, rows.ready(&new_report(), &[6]).await);
    let mut tx = rows.store.begin().await.unwrap();
    let mut reports = tx.reports_of(&rows.scope);
    assert!(reports.queue_again(one, UserId(2), at(5)).await.unwrap());
    assert_eq!(reports.count_unfinished(UserId(1)).await.unwrap(), 0, "the author's limit is not used up");
    assert_eq!(reports.count_unfinished(UserId(2)).await.unwrap(), 1);
    // What an erasure has made again counts for nobody.
    let (_, remade) = reports.erase_person(PersonId(6), at(6)).await.unwrap();
    assert_eq!(remade, [other]);
    assert_eq!(reports.count_unfinished(UserId(1)).await.unwrap(), 0);
    assert_eq!(reports.count_unfinished_of_brand().await.unwrap(), 1);
    assert!(!reports.queue_again(one, UserId(1), at(7)).await.unwrap(), "it is queued already");
}

async fn what_fails_at_first_has_nothing_and_what_was_ready_stays_so(app: TestApp) {
    let rows = Rows::new(app).await;
    let (new, generation) = rows.running(&new_report(), &[5]).await;
    let old = rows.ready(&new_report(), &[5]).await;
    let mut tx = rows.store.begin().await.unwrap();
    let mut reports = tx.reports_of(&rows.scope);
    reports.put_file(new, generation, &file(ReportFormat::Pdf, "1-b"), at(3)).await.unwrap().unwrap();
    assert!(reports.fail(new, "took_too_long", at(5)).await.unwrap());
    assert!(!reports.fail(new, "again", at(6)).await.unwrap());
    assert!(reports.queue_again(old, UserId(1), at(5)).await.unwrap());
    assert!(reports.fail(old, "took_too_long", at(6)).await.unwrap());
    assert_eq!(reports.figures(new).await.unwrap(), None);
    assert!(reports.figures(old).await.unwrap().is_some());
    let (new, old) = (reports.find(new).await.unwrap().unwrap(), reports.find(old).await.unwrap().unwrap());
    assert_eq!((new.state, new.reason.as_deref()), (ReportState::Failed, Some("took_too_long")));
    assert_eq!((new.content, new.finished_at), (None, Some(at(5))));
    assert_eq!((old.state, old.reason), (ReportState::Ready, None), "it downloads as before");
    assert_eq!(old.percent, 100);
    let pdf = content(&format!("pdf-{}", old.id));
    assert_eq!((old.content, old.expires_at), (Some(pdf), Some(at(100))));
}

async fn ending_cancels_or_takes_everything_away(app: TestApp) {
    let rows = Rows::new(app).await;
    let (running, generation) = rows.running(&new_report(), &[5]).await;
    let (ready, remade) = (rows.ready(&new_report(), &[5]).await, rows.ready(&new_report(), &[5]).await);
    let mut tx = rows.store.begin().await.unwrap();
    assert!(tx.reports_of(&rows.scope).queue_again(remade, UserId(1), at(5)).await.unwrap());
    for (id, state, expected) in [
        (running, ReportState::Failed, vec![format!("figures-{running}")]),
        (ready, ReportState::Expired, vec![format!("figures-{ready}"), format!("pdf-{ready}")]),
        (remade, ReportState::Expired, vec![format!("figures-{remade}"), format!("pdf-{remade}")]),
    ] {
        let mut reports = tx.reports_of(&rows.scope);
        let report = reports.find(id).await.unwrap().unwrap();
        let gone = reports.end(&report, "deleted", at(9)).await.unwrap();
        assert_eq!(uploads(&gone), expected);
        let ended = reports.find(id).await.unwrap().unwrap();
        assert_eq!((ended.state, ended.reason.as_deref()), (state, Some("deleted")));
        assert_eq!((ended.content.is_none(), ended.expires_at), (true, None));
        assert_eq!(reports.figures(id).await.unwrap(), None);
        assert_eq!(reports.end(&ended, "again", at(9)).await.unwrap(), []);
    }
    let mut reports = tx.reports_of(&rows.scope);
    assert!(!reports.record_progress(running, generation, 50, at(9)).await.unwrap());
    tx.commit().await.unwrap();
    for table in ["report_files", "report_people"] {
        assert_eq!(testkit::count_rows(rows.app.database()).await[table], 0, "{table}");
    }
}
