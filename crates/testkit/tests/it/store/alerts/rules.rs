//! Rules: their values, lists, owners and what they are about.

use domain::{
    ActiveHours, AlertMetric, AlertRuleFilter, AlertRuleId, AlertScope, AlertSeverity, AlertSplit,
    AlertStatus, AlertWindow, CalendarUnit, OutsideHours, PageRequest, ProjectId, TimeZone,
};
use store::{NewRule, Projects, RuleStatus, RuleViewer, Scope};
use testkit::{TestApp, on_both_engines};

use super::{ADA, BOB, Rows, at, only, rule};

on_both_engines!(
    a_rule_is_read_as_it_was_written,
    rules_are_listed_by_name_and_filtered,
    a_reader_sees_what_their_projects_cover_and_their_own,
    rules_of_an_owner_who_left_belong_to_the_admins,
    what_an_evaluation_finds_out_moves_no_version,
    a_deleted_rule_is_gone_from_every_list,
    records_that_are_archived_or_retired_are_not_active,
    another_brand_sees_nothing,
);

async fn a_rule_is_read_as_it_was_written(app: TestApp) {
    let rows = Rows::new(app).await;
    for (window, minimum_count) in [
        (Some(AlertWindow::Rolling { minutes: 43_200 }), Some(10)),
        (Some(AlertWindow::Calendar(CalendarUnit::Day)), None),
        (Some(AlertWindow::Calendar(CalendarUnit::Week)), Some(0)),
        (None, None),
    ] {
        let mut new = rule("Too many");
        (new.terms.window, new.terms.minimum_count) = (window, minimum_count);
        new.terms.scope =
            AlertScope { machine_ids: vec![3, 4], zones: vec!["danger".to_owned()], ..AlertScope::default() };
        new.active_hours = Some(ActiveHours {
            days: vec![1, 2, 5],
            from_minute: 420,
            to_minute: 1_080,
            time_zone: Some(TimeZone::parse("Asia/Tokyo").unwrap()),
        });
        (new.notify_on_clear, new.severity) = (true, AlertSeverity::Critical);
        let added = rows.add_of(BOB, &new, &only(&[7, 5, 7])).await;
        assert_eq!((&added.terms, &added.active_hours), (&new.terms, &new.active_hours));
        assert_eq!((added.owner.id, added.owner.name.as_deref()), (Some(2), Some("bob")));
        assert_eq!((added.severity, added.notify_on_clear, added.all_projects), (new.severity, true, false));
        assert_eq!((added.status, added.status_reason, added.judged_at), (AlertStatus::Ok, None, None));
        assert_eq!((added.outside_hours, added.cool_down_minutes), (OutsideHours::Hold, 60));
        assert_eq!((added.version, added.created_at, added.updated_at), (1, at(1), at(1)));
        let mut tx = rows.store.read().await.unwrap();
        let projects = tx.alert_rules(&rows.scope).projects(&[added.id]).await.unwrap();
        assert_eq!(projects, [(added.id, ProjectId(5)), (added.id, ProjectId(7))]);
        drop(tx);

        let to = NewRule { enabled: false, outside_hours: OutsideHours::Drop, ..rule("Never") };
        let changed = rows.change(added.id, &to).await;
        assert_eq!((changed.name.as_str(), &changed.terms), ("Never", &to.terms));
        assert_eq!((changed.active_hours, changed.status), (None, AlertStatus::Disabled));
        assert_eq!(changed.status_reason.as_deref(), Some("by_user"));
        assert_eq!((changed.owner.id, changed.outside_hours), (Some(2), OutsideHours::Drop));
        assert_eq!((changed.version, changed.updated_at, changed.enabled), (2, at(2), false));
    }
}

/// Returns the names of all rules, read page by page, and checks their count.
async fn names(rows: &Rows, scope: &Scope, filter: &AlertRuleFilter, viewer: RuleViewer) -> Vec<String> {
    let mut tx = rows.store.read().await.unwrap();
    let mut rules = tx.alert_rules(scope);
    let (mut names, mut after) = (Vec::new(), None);
    loop {
        let page = rules.page(filter, viewer, &PageRequest { limit: 1, after }).await.unwrap();
        names.extend(page.rows.into_iter().map(|row| row.name));
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    let count = rules.count(filter, viewer).await.unwrap();
    assert_eq!(count, i64::try_from(names.len()).unwrap());
    names
}

async fn rules_are_listed_by_name_and_filtered(app: TestApp) {
    let rows = Rows::new(app).await;
    let mut drift = rule("Émile");
    (drift.terms.metric, drift.terms.window) = (AlertMetric::Drift, None);
    drift.terms.split_by = AlertSplit::Worksite;
    let disabled = NewRule { enabled: false, ..rule("beta") };
    let critical = NewRule { severity: AlertSeverity::Critical, ..rule("Alpha_1") };
    for new in [&drift, &disabled, &critical] {
        rows.add(new).await;
    }
    let all = AlertRuleFilter::default();
    for (filter, expected) in [
        (all.clone(), &["Alpha_1", "beta", "Émile"][..]),
        (AlertRuleFilter { metrics: vec![AlertMetric::Drift], ..all.clone() }, &["Émile"]),
        (AlertRuleFilter { severities: vec![AlertSeverity::Critical], ..all.clone() }, &["Alpha_1"]),
        (AlertRuleFilter { statuses: vec![AlertStatus::Disabled], ..all.clone() }, &["beta"]),
        (AlertRuleFilter { enabled: Some(true), ..all.clone() }, &["Alpha_1", "Émile"]),
        (AlertRuleFilter { enabled: Some(false), ..all.clone() }, &["beta"]),
        (AlertRuleFilter { q: Some("EMI".to_owned()), ..all.clone() }, &["Émile"]),
        (AlertRuleFilter { q: Some("_".to_owned()), ..all.clone() }, &["Alpha_1"]),
    ] {
        let found = names(&rows, &rows.scope, &filter, RuleViewer::Brand).await;
        assert_eq!(found, expected, "{filter:?}");
    }
    let mut tx = rows.store.read().await.unwrap();
    let evaluated = tx.alert_rules(&rows.scope).all().await.unwrap();
    assert_eq!(evaluated.iter().map(|rule| rule.id.0).collect::<Vec<_>>(), [1, 2, 3]);
    assert_eq!(tx.statement_count(), 1, "however many they are");
}

async fn a_reader_sees_what_their_projects_cover_and_their_own(app: TestApp) {
    let rows = Rows::new(app).await;
    rows.add(&rule("all")).await;
    rows.add_of(ADA, &rule("none"), &only(&[])).await;
    rows.add_of(ADA, &rule("one"), &only(&[1])).await;
    rows.add_of(ADA, &rule("two"), &only(&[1, 2])).await;
    let of_bob = rows.add_of(BOB, &rule("zone"), &only(&[9])).await;
    let filter = AlertRuleFilter::default();
    for (scope, user, expected) in [
        (rows.scope.clone(), BOB, &["all", "none", "one", "two", "zone"][..]),
        (rows.restricted(&[1]), ADA, &["all", "none", "one", "two"]),
        // What is of no project is seen by its owner, and by those who see everything.
        (rows.restricted(&[1]), BOB, &["one", "zone"]),
        (rows.restricted(&[2, 1]), BOB, &["one", "two", "zone"]),
        (rows.restricted(&[]), BOB, &["zone"]),
    ] {
        let viewer = RuleViewer::Reader(user);
        assert_eq!(names(&rows, &scope, &filter, viewer).await, expected, "{scope:?} {user}");
        let mut tx = rows.store.begin().await.unwrap();
        for id in 1..=5 {
            let found = tx.alert_rules(&scope).find(AlertRuleId(id), viewer).await.unwrap();
            let locked = tx.alert_rules(&scope).find_locked(AlertRuleId(id), viewer).await.unwrap();
            assert_eq!(found.as_ref().map(|one| one.id), locked.map(|one| one.id));
            let is_listed = expected.contains(&["all", "none", "one", "two", "zone"][id as usize - 1]);
            assert_eq!(found.is_some(), is_listed, "{id} {scope:?}");
        }
    }
    // Once they have left, it is no longer theirs.
    let mut tx = rows.store.begin().await.unwrap();
    assert_eq!(tx.alert_rules(&rows.scope).orphan(BOB, at(3)).await.unwrap(), [of_bob.id]);
    tx.commit().await.unwrap();
    let seen = names(&rows, &rows.restricted(&[]), &filter, RuleViewer::Reader(BOB)).await;
    assert_eq!(seen, [""; 0]);
}

async fn rules_of_an_owner_who_left_belong_to_the_admins(app: TestApp) {
    let rows = Rows::new(app).await;
    let first = rows.add_of(BOB, &rule("First"), &only(&[1])).await;
    let second = rows.add_of(BOB, &rule("Second"), &only(&[1])).await;
    rows.add(&rule("Third")).await;
    let mut tx = rows.store.begin().await.unwrap();
    let mut rules = tx.alert_rules(&rows.scope);
    assert_eq!(rules.count_of(BOB).await.unwrap(), 2);
    assert_eq!(rules.orphan(BOB, at(9)).await.unwrap(), [first.id, second.id]);
    assert_eq!(rules.orphan(BOB, at(10)).await.unwrap(), []);
    assert_eq!((rules.count_of(BOB).await.unwrap(), rules.count_of(ADA).await.unwrap()), (0, 1));
    let left = rules.find_locked(first.id, RuleViewer::Brand).await.unwrap().unwrap();
    assert_eq!((left.owner_left_at, left.owner.id, left.version), (Some(at(9)), Some(2), 2));
    // It keeps its projects and stays without an owner until an admin takes it over.
    assert_eq!(rules.projects(&[first.id]).await.unwrap(), [(first.id, ProjectId(1))]);
    let kept = rules.change(first.id, &rule("First"), None, at(11)).await.unwrap();
    assert_eq!((kept.owner_left_at, kept.owner.id), (Some(at(9)), Some(2)));
    let taken = rules.change(first.id, &rule("First"), Some(ADA), at(12)).await.unwrap();
    assert_eq!((taken.owner_left_at, taken.owner.id, taken.version), (None, Some(1), 4));
    rules.set_projects(first.id, &Projects::All).await.unwrap();
    assert_eq!(rules.projects(&[first.id]).await.unwrap(), []);
    assert_eq!(rules.count_of(ADA).await.unwrap(), 2);
}

async fn what_an_evaluation_finds_out_moves_no_version(app: TestApp) {
    let rows = Rows::new(app).await;
    let id = rows.add(&rule("Yard")).await.id;
    let no_data = RuleStatus { status: AlertStatus::NoData, reason: Some("no_runtime"), judged_at: at(60) };
    let mut tx = rows.store.begin().await.unwrap();
    let mut rules = tx.alert_rules(&rows.scope);
    rules.set_status(id, &no_data).await.unwrap();
    rules.set_projects(id, &only(&[3, 4])).await.unwrap();
    tx.commit().await.unwrap();
    let found = rows.find(id).await;
    assert_eq!((found.status, found.status_reason.as_deref()), (AlertStatus::NoData, Some("no_runtime")));
    assert_eq!((found.judged_at, found.all_projects), (Some(at(60)), false));
    assert_eq!((found.version, found.updated_at), (1, at(1)));
    // What is changed has not been judged yet, and a late evaluation does not enable it.
    let changed = rows.change(id, &NewRule { enabled: false, ..rule("Yard") }).await;
    assert_eq!((changed.status, changed.judged_at), (AlertStatus::Disabled, None));
    let mut tx = rows.store.begin().await.unwrap();
    tx.alert_rules(&rows.scope).set_status(id, &no_data).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(rows.find(id).await.status, AlertStatus::Disabled);
}

async fn a_deleted_rule_is_gone_from_every_list(app: TestApp) {
    let rows = Rows::new(app).await;
    let rule_of = rows.add(&rule("Yard")).await;
    let firing = rows.fire(&rule_of, &[5], at(10)).await;
    let mut tx = rows.store.begin().await.unwrap();
    let mut rules = tx.alert_rules(&rows.scope);
    rules.find_locked(rule_of.id, RuleViewer::Brand).await.unwrap().unwrap();
    rules.delete(rule_of.id, at(20)).await.unwrap();
    assert!(rules.find(rule_of.id, RuleViewer::Brand).await.unwrap().is_none());
    assert!(rules.find_locked(rule_of.id, RuleViewer::Brand).await.unwrap().is_none());
    assert!(rules.all().await.unwrap().is_empty());
    assert_eq!(rules.recipients(&[rule_of.id]).await.unwrap(), []);
    assert_eq!(rules.count_of(ADA).await.unwrap(), 0);
    tx.commit().await.unwrap();
    assert_eq!(names(&rows, &rows.scope, &AlertRuleFilter::default(), RuleViewer::Brand).await, [""; 0]);
    // Its firings stay, with its name.
    let left = rows.firing(firing).await;
    assert_eq!((left.rule_name.as_str(), left.cleared_at), ("Yard", Some(at(20))));
    assert_eq!(left.clear_reason, Some(domain::ClearReason::RuleDeleted));
}

async fn records_that_are_archived_or_retired_are_not_active(app: TestApp) {
    let rows = Rows::new(app).await;
    let brand = rows.scope.brand();
    let statements = format!(
        "insert into projects (brand_id, name, name_key, version, created_at, updated_at, archived_at)
             values ({brand}, 'P', 'p', 1, 0, 0, null), ({brand}, 'Q', 'q', 1, 0, 0, 7);
         insert into worksites (brand_id, name, name_key, colour, kind, time_zone, version, created_at, updated_at, archived_at)
             values ({brand}, 'Yard', 'yard', '#000000', 'other', 'UTC', 1, 0, 0, 7),
                 ({brand}, 'Depot', 'depot', '#000000', 'other', 'UTC', 1, 0, 0, null);
         insert into machines (brand_id, name, name_key, kind, version, created_at, updated_at, archived_at)
             values ({brand}, 'M', 'm', 'truck', 1, 0, 0, null), ({brand}, 'N', 'n', 'truck', 1, 0, 0, 7);
         insert into people (brand_id, kind, name, name_key, created_at, updated_at, archived_at, erased_at)
             values ({brand}, 'staff', 'A', 'a', 0, 0, null, null), ({brand}, 'staff', 'B', 'b', 0, 0, 7, null),
                 ({brand}, 'staff', 'C', 'c', 0, 0, null, 7);
         insert into tags (brand_id, serial, serial_key, role, version, created_at, updated_at, retired_at)
             values ({brand}, 'T', 't', 'pedestrian', 1, 0, 0, 7), ({brand}, 'U', 'u', 'pedestrian', 1, 0, 0, null);
         insert into base_stations (brand_id, serial, serial_key, created_at, updated_at)
             values ({brand}, 'S', 's', 0, 0)"
    );
    testkit::execute_raw_sql(rows.app.database(), &statements).await.unwrap();
    let both = || vec![2, 1, 99];
    let asked = AlertScope {
        project_ids: both(),
        worksite_ids: both(),
        machine_ids: both(),
        person_ids: vec![3, 2, 1],
        tag_ids: both(),
        // More than go into one statement.
        base_station_ids: (0..2_500).map(|id| 2_500 - id).collect(),
        zones: vec!["danger".to_owned()],
    };
    let mut tx = rows.store.read().await.unwrap();
    let active = tx.alert_rules(&rows.scope).active_ids(&asked).await.unwrap();
    assert_eq!((&active.project_ids[..], &active.worksite_ids[..]), (&[1][..], &[2][..]));
    assert_eq!((&active.machine_ids[..], &active.person_ids[..]), (&[1][..], &[1][..]));
    assert_eq!((&active.tag_ids[..], &active.base_station_ids[..]), (&[2][..], &[1][..]));
    assert_eq!(active.zones, ["danger"]);
    assert_eq!(tx.statement_count(), 8);
    let other = rows.other_brand().await;
    let none = tx.alert_rules(&other).active_ids(&AlertScope { zones: Vec::new(), ..asked }).await.unwrap();
    assert_eq!(none, AlertScope::default());
}

async fn another_brand_sees_nothing(app: TestApp) {
    let rows = Rows::new(app).await;
    let rule_of = rows.add(&rule("Yard")).await;
    let theirs = rows.other_brand().await;
    let mut tx = rows.store.begin().await.unwrap();
    let mut rules = tx.alert_rules(&theirs);
    let id = rule_of.id;
    assert!(rules.find(id, RuleViewer::Brand).await.unwrap().is_none());
    assert!(rules.find_locked(id, RuleViewer::Brand).await.unwrap().is_none());
    assert!(rules.all().await.unwrap().is_empty());
    assert_eq!(rules.recipients(&[id]).await.unwrap(), []);
    assert_eq!(rules.orphan(ADA, at(9)).await.unwrap(), []);
    rules.delete(id, at(9)).await.unwrap();
    let status = RuleStatus { status: AlertStatus::Stopped, reason: None, judged_at: at(9) };
    rules.set_status(id, &status).await.unwrap();
    rules.set_scope(id, &AlertScope { tag_ids: vec![1], ..AlertScope::default() }, at(9)).await.unwrap();
    tx.commit().await.unwrap();
    let found = rows.find(id).await;
    assert_eq!((found.version, found.status, &found.terms), (1, AlertStatus::Ok, &rule_of.terms));
}
