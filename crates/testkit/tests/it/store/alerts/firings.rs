//! Firings, from the crossing to the clearing.

use std::sync::Arc;

use domain::{
    AlertLevel, AlertRule, AlertScope, AlertSplit, BaseStationId, ClearReason, FiringScope, FiringState,
    FiringSubject, IncursionId, MachineId, Measurement, PersonId, ProjectId, SplitKey, TagId, TimeZone,
    VisitId, WorksiteId,
};
use store::{NewFiring, NewRule, PeakValue};
use testkit::{TestApp, on_both_engines};

use super::{Rows, at, rule};

on_both_engines!(
    a_firing_is_read_as_it_was_written,
    a_crossing_has_one_firing_however_many_workers_see_it,
    a_rule_that_judges_something_else_by_now_does_not_fire,
    a_firing_clears_once,
    cool_downs_begin_with_the_last_clearing,
    open_firings_change_and_others_do_not,
    erasing_a_person_leaves_firings_without_them,
    erasing_a_person_leaves_no_restriction_to_them,
    open_firings_of_an_older_database_are_of_their_rule_as_it_is,
);

async fn a_firing_is_read_as_it_was_written(app: TestApp) {
    let rows = Rows::new(app).await;
    let rule_of = rows.add(&rule("Yard")).await;
    let subject = FiringSubject {
        project: Some(ProjectId(1)),
        worksite: Some(WorksiteId(2)),
        machine: Some(MachineId(3)),
        base_station: Some(BaseStationId(4)),
        person: Some(PersonId(5)),
        tag: Some(TagId(6)),
        visit: Some(VisitId(7)),
    };
    let written = |firing: &mut NewFiring<'_>| {
        firing.subject = subject;
        firing.value = Measurement { numerator: 12, denominator: 7_200_000, scale: 3_600_000 };
        firing.incursions = &[IncursionId(9), IncursionId(8)];
        firing.details = r#"{"a": 1}"#;
        (firing.held_until, firing.is_told) = (Some(at(900)), false);
    };
    let id = rows.try_fire(&rule_of, &[3, 5], written, at(600)).await.unwrap();
    let found = rows.firing(id).await;
    assert_eq!((found.rule, found.rule_name.as_str()), (rule_of.id, "Yard"));
    assert_eq!((found.split_key.ids(), found.subject), (&[3, 5][..], subject));
    assert_eq!((found.metric, found.comparison), (rule_of.terms.metric, rule_of.terms.comparison));
    assert_eq!((found.threshold, found.severity), (AlertLevel::whole(3), rule_of.severity));
    assert_eq!((found.numerator, found.denominator), (12, 7_200_000));
    assert_eq!((found.peak_numerator, found.peak_denominator), (12, 7_200_000));
    assert_eq!((found.window_from, found.window_to), (Some(at(600 - 3_600)), at(600)));
    assert_eq!((found.time_zone.as_str(), found.seq, found.all_projects), ("Europe/Berlin", 7, false));
    assert_eq!(found.incursion_ids(), [IncursionId(9), IncursionId(8)]);
    assert_eq!((found.details.as_str(), found.state()), (r#"{"a": 1}"#, FiringState::Held));
    assert_eq!((found.fired_at, found.held_until, found.is_told), (at(600), Some(at(900)), false));
    assert_eq!((found.version, found.created_at, found.cleared_at), (1, at(600), None));
    // A later change of the rule does not change what has fired.
    let mut to = rule("Depot");
    to.terms.threshold = AlertLevel::whole(99);
    (to.terms.scope.machine_ids, to.terms.split_by) = (vec![5], AlertSplit::Worksite);
    rows.change(rule_of.id, &to).await;
    let kept = rows.firing(id).await;
    assert_eq!((kept.threshold, kept.rule_name.as_str()), (AlertLevel::whole(3), "Depot"));
    let then = FiringScope { scope: AlertScope::default(), split_by: AlertSplit::Machine };
    assert_eq!(rows.scopes(&[id]).await, [(id, then)]);
    let other = rows.other_brand().await;
    let mut tx = rows.store.read().await.unwrap();
    assert_eq!(tx.alert_firings(&other).scopes(&[id]).await.unwrap(), []);
}

/// Adds a firing in a transaction of its own, as a worker would.
async fn fire(store: store::Store, scope: store::Scope, rule: Arc<AlertRule>) -> bool {
    let key = SplitKey::new(vec![5]);
    let firing = NewFiring {
        rule: &rule,
        split_key: &key,
        subject: FiringSubject::default(),
        value: Measurement::count(3),
        window: (None, at(9)),
        time_zone: &TimeZone::utc(),
        seq: 0,
        incursions: &[],
        details: "{}",
        projects: &[Some(ProjectId(2)), Some(ProjectId(1)), Some(ProjectId(2))],
        held_until: None,
        is_told: true,
    };
    let mut tx = store.begin().await.unwrap();
    let added = tx.alert_firings(&scope).add(&firing, at(9)).await.unwrap();
    tx.commit().await.unwrap();
    added.is_some()
}

async fn a_crossing_has_one_firing_however_many_workers_see_it(app: TestApp) {
    let rows = Rows::new(app).await;
    let rule_of = Arc::new(rows.add(&rule("Yard")).await);
    for round in 1..=3 {
        let mut workers = tokio::task::JoinSet::new();
        for _ in 0..8 {
            workers.spawn(fire(rows.store.clone(), rows.scope.clone(), Arc::clone(&rule_of)));
        }
        let fired = workers.join_all().await;
        assert_eq!(fired.into_iter().filter(|fired| *fired).count(), 1, "round {round}");
        let mut tx = rows.store.begin().await.unwrap();
        let mut firings = tx.alert_firings(&rows.scope);
        let open = firings.open().await.unwrap();
        assert_eq!(open.len(), 1);
        assert!(firings.clear(open[0].id, ClearReason::Recovered, None, at(9)).await.unwrap());
        tx.commit().await.unwrap();
    }
    let counts = testkit::count_rows(rows.app.database()).await;
    assert_eq!((counts["alert_firings"], counts["alert_firing_projects"]), (3, 6));
}

async fn a_rule_that_judges_something_else_by_now_does_not_fire(app: TestApp) {
    let rows = Rows::new(app).await;
    let read = rows.add(&rule("Yard")).await;
    let fires =
        async |rule: &AlertRule, split: i64| rows.try_fire(rule, &[split], |_| {}, at(9)).await.is_some();
    assert!(fires(&read, 1).await);
    assert!(!fires(&read, 1).await, "the split has an open firing");
    // Another name is no other question.
    rows.change(read.id, &rule("Depot")).await;
    assert!(fires(&read, 2).await);
    let mut wider = rule("Depot");
    wider.terms.scope = AlertScope { machine_ids: vec![1], ..AlertScope::default() };
    let mut longer = rule("Depot");
    longer.terms.window = None;
    let mut higher = rule("Depot");
    higher.terms.threshold = AlertLevel::whole(4);
    let mut rarer = rule("Depot");
    rarer.terms.minimum_count = Some(2);
    for to in [wider, longer, higher, rarer, NewRule { enabled: false, ..rule("Depot") }] {
        let changed = rows.change(read.id, &to).await;
        assert!(!fires(&read, 3).await, "{to:?}");
        assert_eq!(fires(&changed, changed.version + 100).await, to.enabled, "{to:?}");
    }
    let again = rows.change(read.id, &rule("Depot")).await;
    assert!(fires(&again, 3).await);
    let mut tx = rows.store.begin().await.unwrap();
    tx.alert_rules(&rows.scope).delete(read.id, at(9)).await.unwrap();
    tx.commit().await.unwrap();
    assert!(!fires(&again, 4).await);
}

async fn a_firing_clears_once(app: TestApp) {
    let rows = Rows::new(app).await;
    let rule_of = rows.add(&rule("Yard")).await;
    let other = rows.add(&rule("Depot")).await;
    let (first, second) = (rows.fire(&rule_of, &[1], at(5)).await, rows.fire(&rule_of, &[2], at(5)).await);
    let third = rows.fire(&other, &[1], at(5)).await;
    let theirs = rows.other_brand().await;
    let mut tx = rows.store.begin().await.unwrap();
    assert!(!tx.alert_firings(&theirs).clear(first, ClearReason::Recovered, None, at(6)).await.unwrap());
    let mut firings = tx.alert_firings(&rows.scope);
    let value = Measurement { numerator: 2, denominator: 7_200_000, scale: 3_600_000 };
    assert!(firings.clear(first, ClearReason::Recovered, Some(value), at(6)).await.unwrap());
    assert!(!firings.clear(first, ClearReason::NoData, None, at(7)).await.unwrap());
    assert_eq!(firings.close_all(rule_of.id, ClearReason::RuleChanged, at(8)).await.unwrap(), 1);
    assert_eq!(firings.close_all(rule_of.id, ClearReason::RuleChanged, at(9)).await.unwrap(), 0);
    let open: Vec<_> = firings.open().await.unwrap().into_iter().map(|firing| firing.id).collect();
    assert_eq!(open, [third]);
    tx.commit().await.unwrap();
    for (id, cleared_at, reason, value) in [
        (first, at(6), ClearReason::Recovered, (Some(2), Some(7_200_000))),
        (second, at(8), ClearReason::RuleChanged, (None, None)),
    ] {
        let firing = rows.firing(id).await;
        assert_eq!((firing.cleared_at, firing.clear_reason), (Some(cleared_at), Some(reason)));
        assert_eq!((firing.cleared_numerator, firing.cleared_denominator), value);
        assert_eq!((firing.state(), firing.version), (FiringState::Cleared, 2));
        assert_eq!(firing.updated_at, cleared_at);
    }
}

async fn cool_downs_begin_with_the_last_clearing(app: TestApp) {
    let rows = Rows::new(app).await;
    let rule_of = rows.add(&rule("Yard")).await;
    for (split, reason, cleared_at) in [
        (1, ClearReason::Recovered, 10),
        (1, ClearReason::NoData, 30),
        (2, ClearReason::Recovered, 20),
        (3, ClearReason::Recovered, 5),
        (4, ClearReason::RuleChanged, 40),
        (5, ClearReason::RuleDisabled, 40),
    ] {
        let id = rows.fire(&rule_of, &[split], at(1)).await;
        let mut tx = rows.store.begin().await.unwrap();
        assert!(tx.alert_firings(&rows.scope).clear(id, reason, None, at(cleared_at)).await.unwrap());
        tx.commit().await.unwrap();
    }
    rows.fire(&rule_of, &[6], at(1)).await;
    let mut tx = rows.store.read().await.unwrap();
    let cleared = tx.alert_firings(&rows.scope).cleared_since(at(5)).await.unwrap();
    let expected = [(1, 30), (2, 20)]
        .map(|(split, cleared_at)| (rule_of.id, SplitKey::new(vec![split]), at(cleared_at)));
    assert_eq!(cleared, expected);
}

async fn open_firings_change_and_others_do_not(app: TestApp) {
    let rows = Rows::new(app).await;
    let rule_of = rows.add(&rule("Yard")).await;
    let hold = |firing: &mut NewFiring<'_>| {
        firing.held_until = Some(at(99));
        firing.is_told = false;
    };
    let open = rows.try_fire(&rule_of, &[1], hold, at(5)).await.unwrap();
    let cleared = rows.fire(&rule_of, &[2], at(5)).await;
    let peaks = [open, cleared].map(|firing| PeakValue { firing, value: Measurement::count(8) });
    let mut tx = rows.store.begin().await.unwrap();
    let mut firings = tx.alert_firings(&rows.scope);
    firings.clear(cleared, ClearReason::Recovered, None, at(6)).await.unwrap();
    firings.raise_peaks(&peaks, at(7)).await.unwrap();
    firings.raise_peaks(&[], at(7)).await.unwrap();
    firings.set_no_data(open, Some(at(7))).await.unwrap();
    firings.set_no_data(cleared, Some(at(7))).await.unwrap();
    tx.commit().await.unwrap();
    let firing = rows.firing(open).await;
    assert_eq!((firing.peak_numerator, firing.numerator, firing.version), (8, 3, 2));
    assert_eq!((firing.no_data_since, firing.updated_at), (Some(at(7)), at(7)));
    let firing = rows.firing(cleared).await;
    assert_eq!((firing.peak_numerator, firing.no_data_since, firing.updated_at), (3, None, at(6)));

    let mut tx = rows.store.begin().await.unwrap();
    let mut firings = tx.alert_firings(&rows.scope);
    firings.set_told(&[], at(8)).await.unwrap();
    firings.set_told(&[open], at(8)).await.unwrap();
    firings.set_no_data(open, None).await.unwrap();
    tx.commit().await.unwrap();
    let firing = rows.firing(open).await;
    assert_eq!((firing.state(), firing.is_told, firing.version), (FiringState::Fired, true, 3));
    assert_eq!((firing.held_until, firing.no_data_since), (None, None));
}

async fn erasing_a_person_leaves_firings_without_them(app: TestApp) {
    let rows = Rows::new(app).await;
    let rule_of = rows.add(&rule("Yard")).await;
    let about = |id: i64| move |firing: &mut NewFiring<'_>| firing.subject.person = Some(PersonId(id));
    let past = rows.try_fire(&rule_of, &[3, 7], about(7), at(5)).await.unwrap();
    let mut tx = rows.store.begin().await.unwrap();
    assert!(tx.alert_firings(&rows.scope).clear(past, ClearReason::Recovered, None, at(6)).await.unwrap());
    tx.commit().await.unwrap();
    let open = rows.try_fire(&rule_of, &[3, 7], about(7), at(8)).await.unwrap();
    let elsewhere = rows.try_fire(&rule_of, &[4, 7], about(7), at(8)).await.unwrap();
    let other = rows.try_fire(&rule_of, &[3, 8], about(8), at(8)).await.unwrap();
    let mut tx = rows.store.begin().await.unwrap();
    let mut firings = tx.alert_firings(&rows.scope);
    assert_eq!(firings.erase_person(PersonId(7), at(9)).await.unwrap(), 3);
    assert_eq!(firings.erase_person(PersonId(7), at(9)).await.unwrap(), 0);
    tx.commit().await.unwrap();
    for (id, cleared_at, reason) in [
        (past, at(6), ClearReason::Recovered),
        (open, at(9), ClearReason::PersonErased),
        (elsewhere, at(9), ClearReason::PersonErased),
    ] {
        let firing = rows.firing(id).await;
        assert!(firing.subject.person.is_none() && firing.split_key.ids().is_empty(), "{id}");
        assert_eq!((firing.cleared_at, firing.clear_reason), (Some(cleared_at), Some(reason)), "{id}");
    }
    let untouched = rows.firing(other).await;
    assert_eq!((untouched.subject.person, untouched.cleared_at), (Some(PersonId(8)), None));
    let keys = testkit::query_raw_sql(
        rows.app.database(),
        "select split_key from alert_firings where split_key like '%7%' order by id",
    );
    let erased = |key: &String| key.starts_with("erased:");
    assert!(keys.await.iter().all(erased), "no key names them");
}

async fn erasing_a_person_leaves_no_restriction_to_them(app: TestApp) {
    let rows = Rows::new(app).await;
    let mut fired = Vec::new();
    for (people, machines) in [(&[7][..], &[][..]), (&[6, 7, 77], &[]), (&[77], &[7]), (&[], &[7])] {
        let mut new = rule("Yard");
        (new.terms.scope.person_ids, new.terms.scope.machine_ids) = (people.to_vec(), machines.to_vec());
        let rule_of = rows.add(&new).await;
        fired.push(rows.fire(&rule_of, &[3], at(8)).await);
    }
    let mut tx = rows.store.begin().await.unwrap();
    // None of them is about the person.
    assert_eq!(tx.alert_firings(&rows.scope).erase_person(PersonId(7), at(9)).await.unwrap(), 0);
    tx.commit().await.unwrap();
    let mut left = rows.scopes(&fired).await.into_iter();
    for (id, people, machines) in
        [(fired[1], &[6, 77][..], &[][..]), (fired[2], &[77], &[7]), (fired[3], &[], &[7])]
    {
        let (found, then) = left.next().unwrap();
        assert_eq!((found, &*then.scope.person_ids, &*then.scope.machine_ids), (id, people, machines));
    }
    assert_eq!(left.next(), None);
}

async fn open_firings_of_an_older_database_are_of_their_rule_as_it_is(app: TestApp) {
    let rows = Rows::new(app).await;
    let mut new = rule("Yard");
    new.terms.scope.machine_ids = vec![3];
    let rule_of = rows.add(&new).await;
    let past = rows.fire(&rule_of, &[3], at(5)).await;
    let mut tx = rows.store.begin().await.unwrap();
    assert!(tx.alert_firings(&rows.scope).clear(past, ClearReason::Recovered, None, at(6)).await.unwrap());
    tx.commit().await.unwrap();
    let open = rows.fire(&rule_of, &[3], at(8)).await;
    for statement in [
        "delete from schema_migrations where name = '0043_firing_scopes'",
        "alter table alert_firings drop column scope",
        "alter table alert_firings drop column split_by",
    ] {
        testkit::execute_raw_sql(rows.app.database(), statement).await.unwrap();
    }
    assert_eq!(rows.store.migrate(at(9)).await.unwrap(), ["0043_firing_scopes"]);
    let then = FiringScope { scope: new.terms.scope, split_by: new.terms.split_by };
    assert_eq!(rows.scopes(&[past, open]).await, [(open, then)]);
}
