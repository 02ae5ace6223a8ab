//! Query plans of what is asked every second, of lists, and of housekeeping: they go along an index, however long the tables are.

use domain::{AlertFiringFilter, FiringSubject, MachineId, PageRequest, PersonId, WorksiteId};
use testkit::{TestApp, on_both_engines};

use super::{Rows, at, rule};

on_both_engines!(
    due_brands_are_read_along_the_index_of_those_with_rules,
    open_firings_are_read_along_their_index,
    lists_about_something_are_read_along_its_index,
);

const NUMBERS: &str = "with recursive n (n) as (select 1 union all select n + 1 from n where n < 20000)";

async fn due_brands_are_read_along_the_index_of_those_with_rules(app: TestApp) {
    let rows = Rows::new(app).await;
    rows.add(&rule("Yard")).await;
    let statements = format!(
        "insert into brands (name, name_key, created_at, updated_at)
             {NUMBERS} select 'Brand', 'brand ' || n, 0, 0 from n where n <= 5000;
         insert into brand_counters (brand_id, last_seq, registry_version)
             select id, 0, 1 from brands where name = 'Brand';
         insert into alert_cursors (brand_id, rules_version, has_rules, evaluated_seq, next_due_at, leased_until, fence)
             select id, 1, id % 500 = 0, 0, 0, 0, 0 from brands where name = 'Brand';
         analyze brands; analyze brand_counters; analyze alert_cursors"
    );
    testkit::execute_raw_sql(rows.app.database(), &statements).await.unwrap();
    let mut tx = rows.store.read().await.unwrap();
    let mut cursors = tx.alert_cursors(&rows.platform);
    let plan = cursors.explain_due("w", at(9)).await.unwrap().join("\n");
    assert!(plan.contains("alert_cursors_due"), "{plan}");
    assert!(!plan.contains("Seq Scan") && !plan.contains("SCAN b"), "{plan}");
    assert_eq!(cursors.due("w", at(9)).await.unwrap().len(), 11);
}

async fn open_firings_are_read_along_their_index(app: TestApp) {
    let rows = Rows::new(app).await;
    let rule_of = rows.add(&rule("Yard")).await;
    let (brand, id) = (rows.scope.brand(), rule_of.id);
    let statements = format!(
        "insert into alert_firings (brand_id, rule_id, split_key, metric, comparison, threshold, severity, numerator, denominator,
                 peak_numerator, peak_denominator, window_to, time_zone, seq, incursions, details, all_projects, fired_at,
                 is_told, cleared_at, clear_reason, version, created_at, updated_at)
             {NUMBERS} select {brand}, {id}, cast(n as text), 'incursions', 'above', 1, 'warning', 1, 1, 1, 1, n, 'UTC', 1, '[]',
                 '{{}}', true, n, true, case when n > 19990 then null else n end,
                 case when n > 19990 then null else 'recovered' end, 1, n, n from n;
         analyze alert_firings"
    );
    testkit::execute_raw_sql(rows.app.database(), &statements).await.unwrap();
    let mut tx = rows.store.read().await.unwrap();
    let mut firings = tx.alert_firings(&rows.scope);
    let plan = firings.explain_open().await.unwrap().join("\n");
    assert!(plan.contains("alert_firings_open"), "{plan}");
    assert!(!plan.contains("Seq Scan on alert_firings") && !plan.contains("SCAN f"), "{plan}");
    assert_eq!(firings.open().await.unwrap().len(), 10);
}

async fn lists_about_something_are_read_along_its_index(app: TestApp) {
    let rows = Rows::new(app).await;
    let rule_of = rows.add(&rule("Yard")).await;
    let (brand, id) = (rows.scope.brand(), rule_of.id);
    let statements = format!(
        "insert into alert_firings (brand_id, rule_id, split_key, worksite_id, machine_id, person_id, metric, comparison,
                 threshold, severity, numerator, denominator, peak_numerator, peak_denominator, window_to, time_zone, seq,
                 incursions, details, all_projects, fired_at, is_told, cleared_at, clear_reason, version, created_at, updated_at)
             {NUMBERS} select {brand}, {id}, cast(n as text), n % 2000, n % 2000, n % 2000, 'incursions', 'above', 1,
                 'warning', 1, 1, 1, 1, n, 'UTC', 1, '[]', '{{}}', true, n, true, n, 'recovered', 1, n, n from n;
         analyze alert_firings"
    );
    testkit::execute_raw_sql(rows.app.database(), &statements).await.unwrap();
    let of_worksite = FiringSubject { worksite: Some(WorksiteId(7)), ..FiringSubject::default() };
    let of_machine = FiringSubject { machine: Some(MachineId(7)), ..FiringSubject::default() };
    let of_person = FiringSubject { person: Some(PersonId(7)), ..FiringSubject::default() };
    for (subject, index) in [
        (of_worksite, "alert_firings_by_worksite"),
        (of_machine, "alert_firings_by_machine"),
        (of_person, "alert_firings_by_person"),
    ] {
        let filter = AlertFiringFilter { subject, ..AlertFiringFilter::default() };
        let page = PageRequest { limit: 50, after: None };
        let mut tx = rows.store.read().await.unwrap();
        let mut firings = tx.visible_firings(&rows.scope);
        let plan = firings.explain_page(&filter, &page).await.unwrap().join("\n");
        assert!(plan.contains(index), "{plan}");
        assert_eq!(firings.page(&filter, &page).await.unwrap().rows.len(), 10);
    }
}
