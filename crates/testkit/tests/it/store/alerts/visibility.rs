//! Who sees which firings, lists of them, and open alarms beside other records.

use domain::{
    AlertFiringFilter, AlertFiringId, AlertMetric, AlertSeverity, BaseStationId, ClearReason, Direction,
    FiringState, FiringSubject, MachineId, PageRequest, PersonId, ProjectId, SortKey, Sorting, TagId,
    VisitId, Window, WindowPosition, WorksiteId,
};
use store::{NewFiring, NewRule, Scope};
use testkit::{TestApp, on_both_engines};

use super::{Rows, at, rule};

on_both_engines!(
    a_reader_sees_firings_whose_projects_are_all_theirs,
    firings_are_filtered,
    firings_are_read_both_ways,
    open_alarms_stand_beside_what_they_are_about,
    another_brand_sees_nothing,
);

/// Returns the firings that a reader sees, oldest first, and checks that every way of reading agrees.
async fn seen(rows: &Rows, scope: &Scope, filter: &AlertFiringFilter) -> Vec<AlertFiringId> {
    let mut tx = rows.store.read().await.unwrap();
    let all = tx.alert_firings(&rows.scope).among(&(1..50).map(AlertFiringId).collect::<Vec<_>>()).await;
    let all: Vec<AlertFiringId> = all.unwrap().into_iter().map(|firing| firing.id).collect();
    let mut firings = tx.visible_firings(scope);
    let window = Window { size: 50, position: WindowPosition::Start };
    let by_firing = Sorting::by(SortKey::StartedAt, Direction::Ascending);
    let slice = firings.slice(filter, by_firing, &window).await.unwrap();
    let ids: Vec<AlertFiringId> = slice.rows.iter().map(|firing| firing.id).collect();
    assert_eq!(firings.count(filter).await.unwrap(), i64::try_from(ids.len()).unwrap());
    let page = firings.page(filter, &PageRequest { limit: 50, after: None }).await.unwrap();
    assert!(page.rows.iter().rev().map(|firing| firing.id).eq(ids.iter().copied()), "newest first");
    let visible = firings.seen(&all).await.unwrap();
    assert!(ids.iter().all(|id| visible.contains(id)));
    for id in all {
        assert_eq!(firings.find(id).await.unwrap().is_some(), visible.contains(&id), "{id}");
    }
    ids
}

async fn a_reader_sees_firings_whose_projects_are_all_theirs(app: TestApp) {
    let rows = Rows::new(app).await;
    let rule_of = rows.add(&rule("Yard")).await;
    let mut ids = Vec::new();
    let cases: [(i64, &'static [Option<ProjectId>]); 4] = [
        (1, &[]),
        (2, &[Some(ProjectId(1))]),
        (3, &[Some(ProjectId(2)), Some(ProjectId(1))]),
        (4, &[Some(ProjectId(1)), None]),
    ];
    for (split, projects) in cases {
        let of_projects = |firing: &mut NewFiring<'_>| firing.projects = projects;
        ids.push(rows.try_fire(&rule_of, &[split], of_projects, at(split)).await.unwrap());
    }
    let all = AlertFiringFilter::default();
    for (scope, expected) in [
        (rows.scope.clone(), &ids[..]),
        // What is of no project is not everybody's.
        (rows.restricted(&[1, 2, 3]), &ids[1..3]),
        (rows.restricted(&[1]), &ids[1..2]),
        (rows.restricted(&[2]), &[]),
        (rows.restricted(&[]), &[]),
    ] {
        assert_eq!(seen(&rows, &scope, &all).await, expected, "{scope:?}");
    }
    assert!(rows.firing(ids[3]).await.all_projects);
}

async fn firings_are_filtered(app: TestApp) {
    let rows = Rows::new(app).await;
    let yard = rows.add(&rule("Yard")).await;
    let mut drift = NewRule { severity: AlertSeverity::Critical, ..rule("Drift") };
    (drift.terms.metric, drift.terms.window) = (AlertMetric::Drift, None);
    let drift = rows.add(&drift).await;
    let about = |firing: &mut NewFiring<'_>| {
        firing.subject = FiringSubject {
            project: Some(ProjectId(1)),
            worksite: Some(WorksiteId(2)),
            machine: Some(MachineId(3)),
            base_station: Some(BaseStationId(4)),
            person: Some(PersonId(5)),
            tag: Some(TagId(6)),
            visit: Some(VisitId(7)),
        };
    };
    let hold = |firing: &mut NewFiring<'_>| firing.held_until = Some(at(900));
    let cleared = rows.try_fire(&yard, &[1], about, at(100)).await.unwrap();
    let fired = rows.fire(&yard, &[2], at(200)).await;
    let held = rows.try_fire(&drift, &[1], hold, at(300)).await.unwrap();
    let mut tx = rows.store.begin().await.unwrap();
    tx.alert_firings(&rows.scope).clear(cleared, ClearReason::Recovered, None, at(400)).await.unwrap();
    tx.commit().await.unwrap();

    let all = AlertFiringFilter::default();
    let of = |subject: FiringSubject| AlertFiringFilter { subject, ..AlertFiringFilter::default() };
    let in_state = |states: &[FiringState]| AlertFiringFilter {
        states: states.to_vec(),
        ..AlertFiringFilter::default()
    };
    let none = FiringSubject::default();
    for (filter, expected) in [
        (all.clone(), vec![cleared, fired, held]),
        (AlertFiringFilter { ids: Some(vec![held.0, 99]), ..all.clone() }, vec![held]),
        (AlertFiringFilter { ids: Some(Vec::new()), ..all.clone() }, vec![]),
        (AlertFiringFilter { rules: vec![yard.id], ..all.clone() }, vec![cleared, fired]),
        (AlertFiringFilter { severities: vec![AlertSeverity::Critical], ..all.clone() }, vec![held]),
        (AlertFiringFilter { metrics: vec![AlertMetric::Drift], ..all.clone() }, vec![held]),
        (AlertFiringFilter { from: Some(at(200)), ..all.clone() }, vec![fired, held]),
        (AlertFiringFilter { to: Some(at(200)), ..all.clone() }, vec![cleared]),
        (in_state(&[FiringState::Held]), vec![held]),
        (in_state(&[FiringState::Fired]), vec![fired]),
        (in_state(&[FiringState::Cleared]), vec![cleared]),
        (in_state(&[FiringState::Cleared, FiringState::Held]), vec![cleared, held]),
        (in_state(&FiringState::ALL), vec![cleared, fired, held]),
        (of(FiringSubject { project: Some(ProjectId(1)), ..none }), vec![cleared]),
        (of(FiringSubject { worksite: Some(WorksiteId(2)), ..none }), vec![cleared]),
        (of(FiringSubject { machine: Some(MachineId(3)), ..none }), vec![cleared]),
        (of(FiringSubject { base_station: Some(BaseStationId(4)), ..none }), vec![cleared]),
        (of(FiringSubject { person: Some(PersonId(5)), ..none }), vec![cleared]),
        (of(FiringSubject { tag: Some(TagId(6)), ..none }), vec![cleared]),
        (of(FiringSubject { visit: Some(VisitId(7)), ..none }), vec![cleared]),
        (of(FiringSubject { machine: Some(MachineId(3)), person: Some(PersonId(6)), ..none }), vec![]),
    ] {
        assert_eq!(seen(&rows, &rows.scope, &filter).await, expected, "{filter:?}");
    }
}

async fn firings_are_read_both_ways(app: TestApp) {
    let rows = Rows::new(app).await;
    let rule_of = rows.add(&rule("Yard")).await;
    let mut ids = Vec::new();
    for split in 1..=3 {
        ids.push(rows.fire(&rule_of, &[split], at(split)).await);
    }
    let newest_first: Vec<AlertFiringId> = ids.into_iter().rev().collect();
    let filter = AlertFiringFilter::default();
    let mut tx = rows.store.read().await.unwrap();
    let mut firings = tx.visible_firings(&rows.scope);
    let (mut pages, mut after) = (Vec::new(), None);
    loop {
        let page = firings.page(&filter, &PageRequest { limit: 2, after }).await.unwrap();
        pages.extend(page.rows.iter().map(|firing| firing.id));
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    assert_eq!(pages, newest_first);
    let sorting = Sorting::by(SortKey::StartedAt, Direction::Descending);
    let mut window = Window { size: 2, position: WindowPosition::Start };
    let first = firings.slice(&filter, sorting, &window).await.unwrap();
    window.position = WindowPosition::After(first.next.unwrap());
    let second = firings.slice(&filter, sorting, &window).await.unwrap();
    assert_eq!((second.rows.len(), second.rows[0].id), (1, newest_first[2]));
    window.position = WindowPosition::Before(second.previous.unwrap());
    let back = firings.slice(&filter, sorting, &window).await.unwrap();
    assert!(back.rows.iter().map(|firing| firing.id).eq(first.rows.iter().map(|firing| firing.id)));
    // A cursor of another order or filter is refused.
    let by_update = Sorting::by(SortKey::UpdatedAt, Direction::Descending);
    assert!(matches!(firings.slice(&filter, by_update, &window).await, Err(store::Error::InvalidCursor)));
}

async fn open_alarms_stand_beside_what_they_are_about(app: TestApp) {
    let rows = Rows::new(app).await;
    let rule_of = rows.add(&rule("Yard")).await;
    let about = |machine: i64| {
        move |firing: &mut NewFiring<'_>| {
            firing.subject = FiringSubject {
                worksite: Some(WorksiteId(2)),
                machine: Some(MachineId(machine)),
                base_station: Some(BaseStationId(40 + machine)),
                person: Some(PersonId(5)),
                ..FiringSubject::default()
            };
        }
    };
    let old = rows.try_fire(&rule_of, &[3, 1], about(3), at(1)).await.unwrap();
    let new = rows.try_fire(&rule_of, &[3, 2], about(3), at(2)).await.unwrap();
    let other = rows.try_fire(&rule_of, &[4, 2], about(4), at(3)).await.unwrap();
    let past = rows.try_fire(&rule_of, &[3, 9], about(3), at(4)).await.unwrap();
    let mut tx = rows.store.begin().await.unwrap();
    tx.alert_firings(&rows.scope).clear(past, ClearReason::Recovered, None, at(5)).await.unwrap();
    tx.commit().await.unwrap();

    let mut tx = rows.store.read().await.unwrap();
    let mut open = tx.open_alerts(&rows.scope);
    let machines = open.of_machines(&[MachineId(3), MachineId(8)]).await.unwrap();
    let found: Vec<_> = machines.iter().map(|(machine, alert)| (machine.0, alert.id)).collect();
    assert_eq!(found, [(3, new), (3, old)]);
    let shown = &machines[0].1;
    assert_eq!((shown.rule, shown.rule_name.as_str(), shown.fired_at), (rule_of.id, "Yard", at(2)));
    assert_eq!((shown.metric, shown.severity), (AlertMetric::Incursions, AlertSeverity::Warning));
    let people = open.of_people(&[PersonId(5)]).await.unwrap();
    assert_eq!(people.iter().map(|(_, alert)| alert.id).collect::<Vec<_>>(), [other, new, old]);
    let worksites = open.of_worksites(&[WorksiteId(2), WorksiteId(3)]).await.unwrap();
    assert_eq!(worksites.len(), 3);
    let stations = open.of_base_stations(&[BaseStationId(44), BaseStationId(1)]).await.unwrap();
    assert_eq!(stations[0], (BaseStationId(44), people[0].1.clone()));
    assert_eq!(stations.len(), 1);
    assert_eq!(tx.statement_count(), 4);
    assert_eq!(tx.open_alerts(&rows.scope).of_machines(&[]).await.unwrap(), []);
    for (projects, count) in [(&[1][..], 2), (&[2], 0), (&[], 0)] {
        let scope = rows.restricted(projects);
        let found = tx.open_alerts(&scope).of_machines(&[MachineId(3)]).await.unwrap();
        assert_eq!(found.len(), count, "{projects:?}");
    }
}

async fn another_brand_sees_nothing(app: TestApp) {
    let rows = Rows::new(app).await;
    let rule_of = rows.add(&rule("Yard")).await;
    let about = |firing: &mut NewFiring<'_>| firing.subject.machine = Some(MachineId(3));
    let id = rows.try_fire(&rule_of, &[3], about, at(1)).await.unwrap();
    let theirs = rows.other_brand().await;
    assert_eq!(seen(&rows, &theirs, &AlertFiringFilter::default()).await, []);
    let mut tx = rows.store.begin().await.unwrap();
    assert_eq!(tx.open_alerts(&theirs).of_machines(&[MachineId(3)]).await.unwrap(), []);
    let mut firings = tx.alert_firings(&theirs);
    assert!(firings.open().await.unwrap().is_empty() && firings.among(&[id]).await.unwrap().is_empty());
    assert_eq!(firings.close_all(rule_of.id, ClearReason::RuleChanged, at(2)).await.unwrap(), 0);
    assert_eq!(firings.delete_before(at(999), 10).await.unwrap(), 0);
    firings.set_told(&[id], at(2)).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(rows.firing(id).await.version, 1);
}
