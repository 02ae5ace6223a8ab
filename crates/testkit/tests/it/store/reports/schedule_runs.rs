//! The slots and runs of schedules.

use domain::{NextRun, PauseReason, ReportId, ReportState, RunState, Timestamp};
use store::{EndedRun, NewReportRow, ScheduleRun, ScheduleViewer};
use testkit::{TestApp, on_both_engines};

use super::schedules::schedule;
use super::{Rows, at, new_report};

on_both_engines!(due_schedules_come_in_the_order_of_their_slots, runs_are_known_until_their_end_is_recorded,);

/// A run that does not wait after its slot.
pub(super) fn run_at(at: Timestamp) -> NextRun {
    NextRun { slot_at: at, run_at: at }
}

async fn due_schedules_come_in_the_order_of_their_slots(app: TestApp) {
    let rows = Rows::new(app).await;
    let late = rows.add_schedule(1, &schedule("Late", Some(at(90)), &[])).await;
    let early = rows.add_schedule(1, &schedule("Early", Some(at(60)), &[])).await;
    rows.add_schedule(1, &schedule("Never", None, &[])).await;
    let brand = rows.scope.brand();
    let mut tx = rows.store.begin().await.unwrap();
    for (now, limit, expected) in
        [(59, 9, &[][..]), (60, 9, &[early]), (90, 9, &[early, late]), (90, 1, &[early])]
    {
        let due = tx.due_schedules(&rows.platform, at(now), limit).await.unwrap();
        let expected: Vec<_> = expected.iter().map(|id| (brand, *id)).collect();
        assert_eq!(due, expected, "{now}");
    }
    let viewer = ScheduleViewer::Brand;
    let report = tx.reports_of(&rows.scope).add(&new_report(), at(61)).await.unwrap();
    let mut run = ScheduleRun {
        slot_at: Some(at(60)),
        ran_at: at(61),
        report: Some(report),
        next: Some(run_at(at(160))),
        paused_reason: None,
    };
    let mut schedules = tx.report_schedules(&rows.scope);
    schedules.record_run(early, &run, at(61)).await.unwrap();
    let ran = schedules.find(early, viewer).await.unwrap().unwrap();
    assert_eq!((ran.last_slot_at, ran.last_run_at), (Some(at(60)), Some(at(61))));
    assert_eq!((ran.last_report, ran.next_run_at, ran.version), (Some(report), Some(at(160)), 2));
    let later = NextRun { slot_at: at(160), run_at: at(170) };
    schedules.postpone(early, later, at(62)).await.unwrap();
    let postponed = schedules.find(early, viewer).await.unwrap().unwrap();
    assert_eq!((postponed.next_run(), postponed.version), (Some(later), 3));
    (run.report, run.next) = (None, None);
    run.paused_reason = Some(PauseReason::PermissionMissing);
    schedules.record_run(early, &run, at(62)).await.unwrap();
    let paused = schedules.find(early, viewer).await.unwrap().unwrap();
    assert_eq!((paused.last_report, paused.paused_reason), (None, run.paused_reason));
    // A run that takes no slot leaves the last one as it is.
    (run.slot_at, run.ran_at) = (None, at(63));
    schedules.record_run(early, &run, at(63)).await.unwrap();
    let ran = schedules.find(early, viewer).await.unwrap().unwrap();
    assert_eq!((ran.last_slot_at, ran.last_run_at), (Some(at(60)), Some(at(63))));
    assert_eq!(tx.due_schedules(&rows.platform, at(999), 9).await.unwrap(), [(brand, late)]);
}

async fn runs_are_known_until_their_end_is_recorded(app: TestApp) {
    let rows = Rows::new(app).await;
    let id = rows.add_schedule(1, &schedule("Daily", Some(at(60)), &[])).await;
    let gone = rows.add_schedule(1, &schedule("Gone", Some(at(60)), &[])).await;
    let brand = rows.scope.brand();
    let mut tx = rows.store.begin().await.unwrap();
    let mut reports = Vec::new();
    for schedule in [id, id, gone] {
        let new = NewReportRow { schedule: Some(schedule), ..new_report() };
        let report = tx.reports_of(&rows.scope).add(&new, at(60)).await.unwrap();
        let run = ScheduleRun {
            slot_at: None,
            ran_at: at(60),
            report: Some(report),
            next: None,
            paused_reason: None,
        };
        tx.report_schedules(&rows.scope).record_run(schedule, &run, at(60)).await.unwrap();
        reports.push(report);
    }
    let shown = tx.report_schedules(&rows.scope).find(id, ScheduleViewer::Brand).await.unwrap().unwrap();
    assert_eq!((shown.last_run_state, shown.last_run_reason), (Some(RunState::Running), None));
    assert_eq!(tx.ended_runs(&rows.platform, 9).await.unwrap(), [], "all are being made");
    for (report, reason) in reports.iter().zip(["given_up", "took_too_long", "late"]) {
        tx.reports_of(&rows.scope).fail(*report, reason, at(61)).await.unwrap();
    }
    let ended = |schedule, report: ReportId, reason: &str| EndedRun {
        brand,
        schedule,
        report,
        state: ReportState::Failed,
        reason: Some(reason.to_owned()),
    };
    let (first, second) = (ended(id, reports[0], "given_up"), ended(id, reports[1], "took_too_long"));
    let third = ended(gone, reports[2], "late");
    assert_eq!(tx.ended_runs(&rows.platform, 9).await.unwrap(), [first.clone(), second.clone(), third]);
    assert_eq!(tx.ended_runs(&rows.platform, 1).await.unwrap(), [first]);
    let mut schedules = tx.report_schedules(&rows.scope);
    // A deleted schedule needs no outcome.
    schedules.delete(gone).await.unwrap();
    assert!(schedules.close_run(reports[0]).await.unwrap());
    assert!(!schedules.close_run(reports[0]).await.unwrap(), "only once");
    schedules.record_outcome(id, (RunState::Failed, Some("took_too_long")), at(62)).await.unwrap();
    let shown = schedules.find(id, ScheduleViewer::Brand).await.unwrap().unwrap();
    let outcome = (shown.last_run_state, shown.last_run_reason.as_deref(), shown.version);
    assert_eq!(outcome, (Some(RunState::Failed), Some("took_too_long"), 4));
    assert_eq!(tx.ended_runs(&rows.platform, 9).await.unwrap(), [second]);
    tx.commit().await.unwrap();
}
