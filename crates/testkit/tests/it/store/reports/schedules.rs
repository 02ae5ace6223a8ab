//! Schedules: their values, recipients and pauses.

use std::time::Duration;

use domain::{
    Cadence, EmailAddress, Name, NextRun, PageRequest, PauseReason, ReportFormat, ReportKind, ReportPeriod,
    ReportScheduleFilter, ReportScheduleId, Role, ScheduleRule, Timestamp, UserId, WorksiteId,
};
use store::{NewSchedule, Projects, ScheduleViewer};
use testkit::{TestApp, on_both_engines};

use super::schedule_runs::run_at;
use super::{Rows, at};

on_both_engines!(
    a_schedule_is_read_as_it_was_written,
    recipients_are_unique_and_those_who_stay_keep_their_ids,
    schedules_are_listed_by_name_for_whom_they_concern,
    an_erased_address_leaves_all_schedules,
    an_erasure_and_a_change_of_recipients_wait_for_each_other,
    the_schedules_of_an_author_pause_together,
);

pub(super) fn schedule(name: &str, next_run_at: Option<Timestamp>, recipients: &[&str]) -> NewSchedule {
    NewSchedule {
        name: Name::parse(name).unwrap(),
        kind: ReportKind::Incursions,
        format: ReportFormat::Csv,
        request: "{}".to_owned(),
        period: ReportPeriod::PreviousDay,
        rule: ScheduleRule { cadence: Cadence::Daily, minute_of_day: 450 },
        zone_worksite: None,
        paused_reason: None,
        next: next_run_at.map(run_at),
        recipients: recipients.iter().map(|text| EmailAddress::parse(text).unwrap()).collect(),
    }
}

impl Rows {
    pub(super) async fn add_schedule(&self, author: i64, new: &NewSchedule) -> ReportScheduleId {
        let mut tx = self.store.begin().await.unwrap();
        let added = tx.report_schedules(&self.scope).add(UserId(author), new, at(1)).await.unwrap();
        tx.commit().await.unwrap();
        added.id
    }

    async fn addresses(&self, id: ReportScheduleId) -> Vec<(i64, String)> {
        let mut tx = self.store.read().await.unwrap();
        let found = tx.report_schedules(&self.scope).recipients(&[id]).await.unwrap();
        found.into_iter().map(|(_, recipient)| (recipient.id.0, recipient.email)).collect()
    }
}

async fn a_schedule_is_read_as_it_was_written(app: TestApp) {
    let rows = Rows::new(app).await;
    for (cadence, period) in [
        (Cadence::Daily, ReportPeriod::PreviousDay),
        (Cadence::Weekly { weekday: 7 }, ReportPeriod::Last7Days),
        (Cadence::Monthly { day_of_month: 28 }, ReportPeriod::PreviousMonth),
    ] {
        let mut new = schedule("Every now and then", Some(at(60)), &["ada@example.com"]);
        (new.rule, new.period) = (ScheduleRule { cadence, minute_of_day: 1439 }, period);
        (new.zone_worksite, new.next) =
            (Some(WorksiteId(4)), Some(NextRun { slot_at: at(50), run_at: at(60) }));
        let mut tx = rows.store.begin().await.unwrap();
        let mut schedules = tx.report_schedules(&rows.scope);
        let added = schedules.add(UserId(1), &new, at(1)).await.unwrap();
        assert_eq!((added.rule, added.period), (new.rule, period));
        assert_eq!((added.zone_worksite, added.next_run()), (Some(WorksiteId(4)), new.next));
        assert_eq!((added.next_slot_at, added.next_run_at), (Some(at(50)), Some(at(60))));
        assert_eq!((added.last_run_state, &added.last_run_reason), (None, &None));
        assert_eq!((added.author.id, added.author.name.as_deref()), (Some(1), Some("ada")));
        let to = schedule("Never", None, &["ada@example.com"]);
        let to = NewSchedule { paused_reason: Some(PauseReason::ByUser), ..to };
        let changed = schedules.change(added.id, &to, at(2)).await.unwrap();
        assert_eq!((changed.name.as_str(), changed.rule), ("Never", to.rule));
        assert_eq!((changed.paused_reason, changed.next_run()), (to.paused_reason, None));
        assert_eq!((changed.next_slot_at, changed.next_run_at), (None, None));
        assert_eq!((changed.zone_worksite, changed.version), (None, 2));
        schedules.delete(added.id).await.unwrap();
        assert!(schedules.find(added.id, ScheduleViewer::Brand).await.unwrap().is_none());
        tx.commit().await.unwrap();
    }
    assert_eq!(testkit::count_rows(rows.app.database()).await["report_recipients"], 0);
}

async fn recipients_are_unique_and_those_who_stay_keep_their_ids(app: TestApp) {
    let rows = Rows::new(app).await;
    let new = schedule("Weekly", None, &["ada@example.com", "Bob@example.com", "ADA@example.com"]);
    let id = rows.add_schedule(1, &new).await;
    let before = rows.addresses(id).await;
    let written: Vec<&str> = before.iter().map(|(_, email)| email.as_str()).collect();
    assert_eq!(written, ["ada@example.com", "Bob@example.com"], "each once, as it was written first");
    let mut tx = rows.store.begin().await.unwrap();
    let to = schedule("Weekly", None, &["eve@example.com", "bob@example.com"]);
    tx.report_schedules(&rows.scope).change(id, &to, at(2)).await.unwrap();
    tx.commit().await.unwrap();
    let after = rows.addresses(id).await;
    assert_eq!(after.len(), 2);
    assert_eq!(after[0], before[1]);
    assert_eq!(after[1].1, "eve@example.com");
    let mut tx = rows.store.read().await.unwrap();
    let mut schedules = tx.report_schedules(&rows.scope);
    let kept = domain::ReportRecipientId(before[1].0);
    assert_eq!(schedules.recipient(kept).await.unwrap().unwrap().0, id);
    let removed = domain::ReportRecipientId(before[0].0);
    assert_eq!(schedules.recipient(removed).await.unwrap(), None);
    assert_eq!(schedules.recipients(&[]).await.unwrap(), []);
}

async fn schedules_are_listed_by_name_for_whom_they_concern(app: TestApp) {
    let rows = Rows::new(app).await;
    rows.app.create_user("bob@example.com", Role::Member).await;
    let mut paused = schedule("beta", None, &[]);
    paused.paused_reason = Some(PauseReason::ByUser);
    rows.add_schedule(1, &schedule("Émile", Some(at(60)), &[])).await;
    rows.add_schedule(1, &paused).await;
    let of_bob = rows.add_schedule(2, &schedule("Alpha", Some(at(60)), &[])).await;
    let ada = ScheduleViewer::Author(UserId(1));
    let filter = ReportScheduleFilter::default();
    for (filter, viewer, expected) in [
        (filter.clone(), ScheduleViewer::Brand, &["Alpha", "beta", "Émile"][..]),
        (filter.clone(), ada, &["beta", "Émile"]),
        (ReportScheduleFilter { paused: Some(true), ..filter.clone() }, ada, &["beta"]),
        (ReportScheduleFilter { paused: Some(false), ..filter.clone() }, ada, &["Émile"]),
        (ReportScheduleFilter { q: Some("EMI".to_owned()), ..filter.clone() }, ada, &["Émile"]),
    ] {
        let mut tx = rows.store.read().await.unwrap();
        let mut schedules = tx.report_schedules(&rows.scope);
        let (mut names, mut after) = (Vec::new(), None);
        loop {
            let page = schedules.page(&filter, viewer, &PageRequest { limit: 1, after }).await.unwrap();
            names.extend(page.rows.into_iter().map(|row| row.name));
            after = page.next;
            if after.is_none() {
                break;
            }
        }
        assert_eq!(names, expected, "{filter:?} {viewer:?}");
        let count = schedules.count(&filter, viewer).await.unwrap();
        assert_eq!(count, i64::try_from(expected.len()).unwrap());
    }
    let other = rows.platform.scope(rows.app.ensure_brand("Other").await.id, Projects::All);
    let mut tx = rows.store.begin().await.unwrap();
    let mut schedules = tx.report_schedules(&rows.scope);
    assert_eq!(schedules.count_of(UserId(1)).await.unwrap(), 2);
    assert!(schedules.find(of_bob, ada).await.unwrap().is_none());
    assert!(schedules.find_locked(of_bob, ada).await.unwrap().is_none());
    assert!(schedules.find_locked(of_bob, ScheduleViewer::Brand).await.unwrap().is_some());
    assert!(tx.report_schedules(&other).find(of_bob, ScheduleViewer::Brand).await.unwrap().is_none());
}

async fn an_erased_address_leaves_all_schedules(app: TestApp) {
    let rows = Rows::new(app).await;
    let alone = rows.add_schedule(1, &schedule("Alone", Some(at(60)), &["Ada@example.com"])).await;
    let both = ["ada@example.com", "bob@example.com"];
    let shared = rows.add_schedule(1, &schedule("Shared", Some(at(60)), &both)).await;
    let untouched = rows.add_schedule(1, &schedule("Untouched", Some(at(60)), &both[1..])).await;
    let mut tx = rows.store.begin().await.unwrap();
    let mut schedules = tx.report_schedules(&rows.scope);
    assert_eq!(schedules.remove_address("ada@example.com", at(9)).await.unwrap(), 2);
    assert_eq!(schedules.remove_address("ada@example.com", at(9)).await.unwrap(), 0);
    for (id, paused, next, version) in [
        (alone, Some(PauseReason::NoRecipients), None, 2),
        (shared, None, Some(at(60)), 2),
        (untouched, None, Some(at(60)), 1),
    ] {
        let found = schedules.find(id, ScheduleViewer::Brand).await.unwrap().unwrap();
        assert_eq!((found.paused_reason, found.next_run_at, found.version), (paused, next, version), "{id}");
    }
    let left = schedules.recipients(&[alone, shared]).await.unwrap();
    let left: Vec<_> = left.into_iter().map(|(of, recipient)| (of, recipient.email)).collect();
    assert_eq!(left, [(shared, both[1].to_owned())]);
}

/// Waits until a transaction on PostgreSQL waits for a lock. SQLite has one writer at a time, who does not wait for rows.
async fn wait_for_lock(rows: &Rows) {
    let waiting = "select cast(count(*) as text) from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock'";
    let database = rows.app.database();
    if database.url().starts_with("sqlite:") {
        return;
    }
    for _ in 0..6_000 {
        if testkit::query_raw_sql(database, waiting).await != ["0"] {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("nobody waits");
}

async fn an_erasure_and_a_change_of_recipients_wait_for_each_other(app: TestApp) {
    let rows = Rows::new(app).await;
    let id = rows.add_schedule(1, &schedule("Daily", Some(at(60)), &["ada@example.com"])).await;
    let mut change = rows.store.begin().await.unwrap();
    let viewer = ScheduleViewer::Brand;
    change.report_schedules(&rows.scope).find_locked(id, viewer).await.unwrap().unwrap();
    let erase = async {
        let mut tx = rows.store.begin().await.unwrap();
        let removed = tx.report_schedules(&rows.scope).remove_address("ada@example.com", at(9)).await;
        tx.commit().await.unwrap();
        removed
    };
    let change = async {
        wait_for_lock(&rows).await;
        // Both now want what the other has, unless they take it in the same order.
        let to = schedule("Daily", Some(at(60)), &["bob@example.com"]);
        change.report_schedules(&rows.scope).change(id, &to, at(8)).await.unwrap();
        change.commit().await.unwrap();
    };
    let (removed, ()) = tokio::join!(erase, change);
    assert_eq!(removed.unwrap(), 0, "the change came first");
    let left: Vec<String> = rows.addresses(id).await.into_iter().map(|(_, email)| email).collect();
    assert_eq!(left, ["bob@example.com"]);
}

async fn the_schedules_of_an_author_pause_together(app: TestApp) {
    let rows = Rows::new(app).await;
    rows.app.create_user("bob@example.com", Role::Member).await;
    let mut paused = schedule("Paused", None, &[]);
    paused.paused_reason = Some(PauseReason::ByUser);
    let before = rows.add_schedule(1, &paused).await;
    let running = rows.add_schedule(1, &schedule("Running", Some(at(60)), &[])).await;
    let of_bob = rows.add_schedule(2, &schedule("Bob's", Some(at(60)), &[])).await;
    let mut tx = rows.store.begin().await.unwrap();
    let mut schedules = tx.report_schedules(&rows.scope);
    let reason = PauseReason::AuthorDeactivated;
    assert_eq!(schedules.pause_of_author(UserId(1), reason, at(9)).await.unwrap(), 1);
    for (id, expected, next) in [
        (before, Some(PauseReason::ByUser), None),
        (running, Some(reason), None),
        (of_bob, None, Some(at(60))),
    ] {
        let found = schedules.find(id, ScheduleViewer::Brand).await.unwrap().unwrap();
        assert_eq!((found.paused_reason, found.next_run_at), (expected, next), "{id}");
    }
}
