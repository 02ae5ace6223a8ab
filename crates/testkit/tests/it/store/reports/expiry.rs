//! Reports past their retention, abandoned ones, and the objects that rows refer to.

use domain::{ReportFormat, ReportId, ReportState, UserId};
use store::{NewJob, ReportObject};
use testkit::{TestApp, on_both_engines};

use super::{Rows, at, content, file, new_report, uploads};

on_both_engines!(
    what_is_past_its_retention_expires_with_all_its_objects,
    stored_objects_are_listed_page_by_page,
    what_a_restore_misses_is_forgotten,
    an_abandoned_report_fails_unless_it_was_ready,
    what_ended_long_ago_is_deleted,
    the_oldest_go_first_and_only_so_many_at_once,
);

async fn what_is_past_its_retention_expires_with_all_its_objects(app: TestApp) {
    let rows = Rows::new(app).await;
    let (first, second) = (rows.ready(&new_report(), &[5]).await, rows.ready(&new_report(), &[5]).await);
    let (running, _) = rows.running(&new_report(), &[5]).await;
    let mut tx = rows.store.begin().await.unwrap();
    let mut expired = tx.expired_reports(&rows.platform);
    assert_eq!(expired.expire_due(at(99), 10).await.unwrap(), (0, Vec::new()));
    let (count, gone) = expired.expire_due(at(100), 1).await.unwrap();
    assert_eq!(count, 1);
    assert_eq!(uploads(&gone), [format!("figures-{first}"), format!("pdf-{first}")]);
    assert_eq!(uploads(&expired.objects(&[first]).await.unwrap()), [""; 0]);
    assert_eq!(expired.objects(&[second, running]).await.unwrap().len(), 3);
    assert_eq!(expired.expire_due(at(100), 10).await.unwrap().0, 1);
    assert_eq!(expired.expire_due(at(100), 10).await.unwrap().0, 0);
    tx.commit().await.unwrap();
    for id in [first, second] {
        let report = rows.find(id).await;
        assert_eq!((report.state, report.content, report.seq), (ReportState::Expired, None, Some(7)));
    }
    assert_eq!(rows.find(running).await.state, ReportState::Running);
}

async fn stored_objects_are_listed_page_by_page(app: TestApp) {
    let rows = Rows::new(app).await;
    for _ in 0..3 {
        rows.ready(&new_report(), &[]).await;
    }
    let mut tx = rows.store.read().await.unwrap();
    let mut expired = tx.expired_reports(&rows.platform);
    let all = expired.stored((ReportId(0), String::new()), 100).await.unwrap();
    assert_eq!(all.len(), 6);
    assert!(all.iter().all(|one| (one.size_bytes, one.sha256.as_slice()) == (3, &[1, 2, 3][..])));
    for size in 1..4 {
        let (mut seen, mut after) = (Vec::new(), (ReportId(0), String::new()));
        loop {
            let page = expired.stored(after, size).await.unwrap();
            let Some(last) = page.last() else { break };
            after = (last.object.report, last.object.upload.clone());
            seen.extend(page);
        }
        assert_eq!(seen, all, "{size} at a time");
    }
    let named = expired.objects(&[ReportId(1), ReportId(2), ReportId(3)]).await.unwrap();
    assert_eq!(uploads(&named), uploads(&all.into_iter().map(|one| one.object).collect::<Vec<_>>()));
}

async fn what_a_restore_misses_is_forgotten(app: TestApp) {
    let rows = Rows::new(app).await;
    let (without_file, without_figures) =
        (rows.ready(&new_report(), &[5]).await, rows.ready(&new_report(), &[5]).await);
    let (unfinished, _) = rows.running(&new_report(), &[5]).await;
    let remade = rows.ready(&new_report(), &[5]).await;
    let mut tx = rows.store.begin().await.unwrap();
    assert!(tx.reports_of(&rows.scope).queue_again(remade, UserId(1), at(5)).await.unwrap());
    tx.commit().await.unwrap();
    let brand = rows.scope.brand();
    let object = |report: ReportId, upload: String| ReportObject { brand, report, upload };
    let missing = [
        object(without_file, format!("pdf-{without_file}")),
        object(without_figures, format!("figures-{without_figures}")),
        object(unfinished, format!("figures-{unfinished}")),
        object(unfinished, "nothing refers to it".to_owned()),
        object(remade, format!("figures-{remade}")),
    ];
    let mut tx = rows.store.begin().await.unwrap();
    tx.expired_reports(&rows.platform).forget_missing(&missing, at(9)).await.unwrap();
    tx.commit().await.unwrap();
    let report = rows.find(without_file).await;
    assert_eq!((report.state, report.content), (ReportState::Ready, None));
    assert!(rows.figures(without_file).await.is_some(), "the file can be made again");
    // Made anew, they would say something else.
    for id in [without_figures, remade] {
        let report = rows.find(id).await;
        assert_eq!((report.state, report.content), (ReportState::Expired, None));
        assert_eq!((report.reason.as_deref(), report.expires_at), (Some("figures_missing"), Some(at(9))));
    }
    assert_eq!(rows.find(unfinished).await.state, ReportState::Running);
    assert_eq!(rows.figures(unfinished).await, None, "they are computed anew");
}

async fn an_abandoned_report_fails_unless_it_was_ready(app: TestApp) {
    let rows = Rows::new(app).await;
    rows.app.allow_leftover_jobs();
    let (new, generation) = rows.running(&new_report(), &[5]).await;
    let (old, alive) = (rows.ready(&new_report(), &[5]).await, rows.add(&new_report()).await);
    let mut tx = rows.store.begin().await.unwrap();
    let csv = file(ReportFormat::Csv, "csv");
    tx.reports_of(&rows.scope).put_file(new, generation, &csv, at(4)).await.unwrap().unwrap();
    assert!(tx.reports_of(&rows.scope).queue_again(old, UserId(1), at(5)).await.unwrap());
    let mut jobs = Vec::new();
    for id in [new, old, alive] {
        let job =
            NewJob { kind: "report_build", payload: "{}", run_at: at(1), brand: Some(rows.scope.brand()) };
        let job = tx.jobs(&rows.platform).enqueue(&job, at(1)).await.unwrap();
        tx.reports_of(&rows.scope).set_job(id, job).await.unwrap();
        jobs.push(job);
    }
    tx.commit().await.unwrap();
    let give_up = format!("update jobs set state = 'failed' where id in ({}, {})", jobs[0], jobs[1]);
    testkit::execute_raw_sql(rows.app.database(), &give_up).await.unwrap();
    let mut tx = rows.store.begin().await.unwrap();
    let mut expired = tx.expired_reports(&rows.platform);
    let (count, gone) = expired.fail_abandoned(at(9), 1).await.unwrap();
    assert_eq!((count, uploads(&gone)), (1, vec!["csv", "figures-1"]), "the first of them");
    assert_eq!(expired.fail_abandoned(at(9), 10).await.unwrap(), (1, Vec::new()), "it keeps its file");
    assert_eq!(expired.fail_abandoned(at(9), 10).await.unwrap(), (0, Vec::new()));
    let left = tx.expired_reports(&rows.platform).objects(&[new]).await.unwrap();
    assert_eq!(uploads(&left), [""; 0]);
    tx.commit().await.unwrap();
    let failed = rows.find(new).await;
    assert_eq!((failed.state, failed.reason.as_deref()), (ReportState::Failed, Some("given_up")));
    let kept = rows.find(old).await;
    assert_eq!((kept.state, kept.reason), (ReportState::Ready, None));
    assert_eq!(kept.content, Some(content(&format!("pdf-{old}"))));
    assert_eq!(rows.figures(old).await, Some(content(&format!("figures-{old}"))));
    assert_eq!(rows.find(alive).await.state, ReportState::Queued);
}

async fn what_ended_long_ago_is_deleted(app: TestApp) {
    let rows = Rows::new(app).await;
    let ready = rows.ready(&new_report(), &[5]).await;
    let ended = rows.ready(&new_report(), &[5]).await;
    let mut tx = rows.store.begin().await.unwrap();
    let report = tx.reports_of(&rows.scope).find(ended).await.unwrap().unwrap();
    tx.reports_of(&rows.scope).end(&report, "deleted", at(9)).await.unwrap();
    // It was ready long before it ended.
    assert_eq!(tx.expired_reports(&rows.platform).delete_before(at(9), 10).await.unwrap(), 0);
    assert!(tx.reports_of(&rows.scope).find(ended).await.unwrap().is_some());
    assert_eq!(tx.expired_reports(&rows.platform).delete_before(at(10), 10).await.unwrap(), 1);
    assert!(tx.reports_of(&rows.scope).find(ended).await.unwrap().is_none());
    assert!(tx.reports_of(&rows.scope).find(ready).await.unwrap().is_some());
}

async fn the_oldest_go_first_and_only_so_many_at_once(app: TestApp) {
    let rows = Rows::new(app).await;
    let mut ids = Vec::new();
    for ended_at in [30, 10, 20] {
        let id = rows.ready(&new_report(), &[5]).await;
        let mut tx = rows.store.begin().await.unwrap();
        let report = tx.reports_of(&rows.scope).find(id).await.unwrap().unwrap();
        tx.reports_of(&rows.scope).end(&report, "deleted", at(ended_at)).await.unwrap();
        tx.commit().await.unwrap();
        ids.push(id);
    }
    let mut tx = rows.store.begin().await.unwrap();
    for (deleted, left) in [(1, vec![ids[0], ids[2]]), (1, vec![ids[0]]), (1, vec![]), (0, vec![])] {
        let count = tx.expired_reports(&rows.platform).delete_before(at(31), 1).await.unwrap();
        assert_eq!(count, deleted);
        for id in &ids {
            let found = tx.reports_of(&rows.scope).find(*id).await.unwrap();
            assert_eq!(found.is_some(), left.contains(id), "{id} of {left:?}");
        }
    }
}
