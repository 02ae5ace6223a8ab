//! An attacker who can change the whole database but does not have the key.

use std::fs;

use domain::Role;
use testkit::{Engine, TestApp, drop_audit_triggers, on_both_engines};

use super::{Forger, app_with_key_file};

on_both_engines!(
    rewritten_rows_are_found,
    a_cut_end_is_found,
    an_end_that_is_cut_back_to_an_epoch_is_found,
    an_end_that_is_put_back_is_found_by_recorded_heads,
    heads_that_are_taken_away_are_found,
    a_restart_does_not_hide_heads_that_are_gone,
    an_end_that_is_put_back_alone_is_found,
    what_the_database_knew_of_heads_cannot_be_taken_away,
    texts_that_nobody_erased_are_missed,
    rows_that_the_service_seals_again_are_found,
    a_database_made_to_look_old_is_found,
);

/// Starts an application with ten sealed rows of a brand, whose heads are recorded.
async fn app_with_sealed_log(engine: Engine) -> TestApp {
    let app = app_with_key_file(engine).await;
    for n in 0..9 {
        app.create_user(&format!("u{n}@example.com"), Role::Viewer).await;
        app.app.seal_audit_log().await.unwrap();
    }
    assert_eq!(faults(&app, true).await, Vec::<String>::new());
    app
}

async fn faults(app: &TestApp, with_heads: bool) -> Vec<String> {
    let report = match with_heads {
        true => app.app.check_audit_log_with_heads(&app.app.read_heads(&[]).await.unwrap()).await,
        false => app.app.check_audit_log().await,
    };
    report.unwrap().faults
}

/// A copy of the stored end of the brand's chain, to be put back later.
struct ChainEnd {
    position: i64,
    mac: Vec<u8>,
}

async fn read_chain_end(forger: &Forger<'_>) -> ChainEnd {
    let mut tx = forger.store.read().await.unwrap();
    let ends = tx.audits(&forger.platform).ends().await.unwrap();
    let end = ends.into_iter().find(|end| end.chain == 1).unwrap();
    ChainEnd { position: end.position, mac: end.mac.unwrap() }
}

async fn rewritten_rows_are_found(engine: Engine) {
    for (unkeyed, marks) in [(false, false), (true, false), (true, true)] {
        let app = app_with_sealed_log(engine).await;
        drop_audit_triggers(app.database()).await;
        let forger = Forger::new(&app).await;
        forger
            .execute_raw_sql(
                "update audit_log set details = '{\"reason\":\"nothing\"}' where id between 3 and 7",
            )
            .await;
        forger.reseal(1, unkeyed, 100).await;
        if marks {
            let zeros = testkit::bytes_literal(app.database(), &[0; 32]);
            forger
                .execute_raw_sql(&format!(
                    "insert into audit_marks (chain, epoch, position, head, key_lost, mac)
                     select 1, 1, position, head, {}, {zeros} from audit_chains where chain = 1",
                    if engine == Engine::Sqlite { "1" } else { "true" }
                ))
                .await;
        }
        // Even without a recorded head, because a link cannot be made without the key.
        assert!(!faults(&app, false).await.is_empty());
        assert!(!faults(&app, true).await.is_empty());
    }
}

async fn an_end_that_is_cut_back_to_an_epoch_is_found(engine: Engine) {
    // Where an epoch begins, the chain has a mark made with a key.
    let app = app_with_sealed_log(engine).await;
    app.app.rotate_installation_key().await.unwrap();
    app.create_user("late@example.com", Role::Viewer).await;
    app.app.seal_audit_log().await.unwrap();
    drop_audit_triggers(app.database()).await;
    let forger = Forger::new(&app).await;
    truncate_chain(&forger, 10, None).await;
    assert_fault(&faults(&app, false).await, "brand 1: no key of this installation ended it at link 10");
    // A key rotation does not hide it.
    app.app.rotate_installation_key().await.unwrap();
    app.create_user("later@example.com", Role::Viewer).await;
    app.app.seal_audit_log().await.unwrap();
    assert_fault(&faults(&app, false).await, "no key of this installation ended it");
    // A chain that was removed completely is detected by its marks.
    truncate_chain(&forger, 0, None).await;
    forger.execute_raw_sql("delete from audit_chains where chain = 1").await;
    assert_fault(&faults(&app, false).await, "brand 1: ");
}

/// Removes the last rows and everything that refers to them, and sets the end of the chain. With an earlier copy of the row, its MAC is
/// put back too.
async fn truncate_chain(forger: &Forger<'_>, position: i64, copied: Option<&ChainEnd>) {
    let after = format!("(select audit_id from audit_seals where chain = 1 and position > {position})");
    let mac = copied.map_or("mac".to_owned(), |end| testkit::bytes_literal(forger.app.database(), &end.mac));
    forger
        .execute_raw_sql(&format!(
            "create table cut as select audit_id as id from audit_seals where chain = 1 and position > {position};
             delete from audit_texts where audit_id in {after};
             delete from audit_seals where chain = 1 and position > {position};
             delete from audit_log where id in (select id from cut); drop table cut;
             update audit_chains set position = {position}, mac = {mac},
                 head = coalesce((select hash from audit_seals where chain = 1 and position = {position}), head)
                 where chain = 1"
        ))
        .await;
}

/// Starts with six sealed rows, takes a copy of their end, and adds four more.
async fn sealed_with_copy(engine: Engine) -> (TestApp, ChainEnd) {
    let app = app_with_key_file(engine).await;
    let mut copied = None;
    for n in 0..9 {
        app.create_user(&format!("u{n}@example.com"), Role::Viewer).await;
        app.app.seal_audit_log().await.unwrap();
        let end = read_chain_end(&Forger::new(&app).await).await;
        if end.position == 6 {
            copied = Some(end);
        }
    }
    drop_audit_triggers(app.database()).await;
    (app, copied.unwrap())
}

fn assert_fault(found: &[String], text: &str) {
    assert!(found.iter().any(|fault| fault.contains(text)), "{text}: {found:?}");
}

async fn a_restart_does_not_hide_heads_that_are_gone(engine: Engine) {
    let app = app_with_sealed_log(engine).await;
    let file = app.data().join("audit-heads.log");
    let text = fs::read_to_string(&file).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    fs::write(&file, lines[..lines.len() - 1].join("\n") + "\n").unwrap();
    // By the process that continues, and by one that starts after it.
    for n in 0..3 {
        let place = app.second_instance().await;
        for (which, place) in [&app, &place].into_iter().enumerate() {
            place.create_user(&format!("w{n}-{which}@example.com"), Role::Viewer).await;
            place.app.seal_audit_log().await.unwrap();
        }
        assert_fault(&faults(&app, true).await, "its end was cut off");
    }
    // Until an operator accepts the present state.
    app.app.accept_heads().await.unwrap();
    app.app.seal_audit_log().await.unwrap();
    assert_eq!(faults(&app, true).await, [""; 0]);
}

async fn an_end_that_is_put_back_alone_is_found(engine: Engine) {
    let (app, copied) = sealed_with_copy(engine).await;
    let forger = Forger::new(&app).await;
    let mac = testkit::bytes_literal(app.database(), &copied.mac);
    forger
        .execute_raw_sql(&format!(
            "update audit_chains set position = 6, mac = {mac},
                 head = (select hash from audit_seals where chain = 1 and position = 6) where chain = 1"
        ))
        .await;
    assert_fault(&faults(&app, false).await, "its record says that it ends at link 6");
}

async fn a_cut_end_is_found(engine: Engine) {
    let app = app_with_sealed_log(engine).await;
    drop_audit_triggers(app.database()).await;
    truncate_chain(&Forger::new(&app).await, 6, None).await;
    // Detected from the database alone: the end of a chain cannot be set without the key.
    assert_fault(&faults(&app, false).await, "brand 1: no key of this installation ended it at link 6");
    assert_fault(&faults(&app, true).await, "brand 1: it ends at link 6, but link 10 was recorded");
    // Letting the chain grow further does not help, although the sealer has the key.
    for n in 0..5 {
        app.create_user(&format!("v{n}@example.com"), Role::Viewer).await;
        app.app.seal_audit_log().await.unwrap();
    }
    assert_fault(&faults(&app, false).await, "no key of this installation ended it");
    let found = faults(&app, true).await;
    assert_fault(&found, "and differently at");
    assert_fault(&found, "is not the one recorded");

    // A chain that was removed completely.
    let app = app_with_sealed_log(engine).await;
    drop_audit_triggers(app.database()).await;
    let forger = Forger::new(&app).await;
    truncate_chain(&forger, 0, None).await;
    forger.execute_raw_sql("delete from audit_chains where chain = 1").await;
    assert!(!faults(&app, true).await.is_empty());
}

async fn an_end_that_is_put_back_is_found_by_recorded_heads(engine: Engine) {
    let (app, copied) = sealed_with_copy(engine).await;
    truncate_chain(&Forger::new(&app).await, 6, Some(&copied)).await;
    // The database alone is consistent, as it once was.
    assert_eq!(faults(&app, false).await, Vec::<String>::new());
    assert_fault(&faults(&app, true).await, "brand 1: it ends at link 6, but link 10 was recorded");
}

async fn heads_that_are_taken_away_are_found(engine: Engine) {
    let cases = ["no file", "an empty file", "its end cut off", "its middle cut out", "another begun"];
    for case in cases {
        let (app, copied) = sealed_with_copy(engine).await;
        truncate_chain(&Forger::new(&app).await, 6, Some(&copied)).await;
        let path = app.app.heads_path().to_owned();
        let text = fs::read_to_string(&path).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        let recorded = |position: i64| {
            let place = format!("\"chain\":1,\"position\":{position},");
            lines.iter().position(|line| line.contains(&place)).unwrap()
        };
        let (kept, last) = (recorded(6), lines.len() - 1);
        match case {
            "its end cut off" => fs::write(&path, lines[..=kept].join("\n") + "\n").unwrap(),
            "its middle cut out" => {
                fs::write(&path, [&lines[..=kept], &lines[last..]].concat().join("\n") + "\n").unwrap();
            }
            "an empty file" => fs::write(&path, "").unwrap(),
            _ => fs::remove_file(&path).unwrap(),
        }
        let next = app.second_instance().await;
        if case == "another begun" {
            next.create_user("v@example.com", Role::Viewer).await;
            next.app.seal_audit_log().await.unwrap();
        }
        let found = faults(&next, true).await;
        assert!(!found.is_empty(), "{case}");
        if case == "its middle cut out" {
            assert_fault(&found, "do not follow the previous one");
            continue;
        }
        // An operator who knows the reason accepts the state, and it is checked from there on.
        next.app.accept_heads().await.unwrap();
        next.app.seal_audit_log().await.unwrap();
        assert_eq!(faults(&next, true).await, Vec::<String>::new(), "{case}");
        let accepted = "select cast(count(*) as text) from audit_log where action = 'audit_heads.accepted'";
        assert_eq!(testkit::query_raw_sql(app.database(), accepted).await, ["1"]);
        truncate_chain(&Forger::new(&next).await, 6 - 1, None).await;
        assert!(!faults(&next, true).await.is_empty(), "{case}");
    }
}

async fn what_the_database_knew_of_heads_cannot_be_taken_away(engine: Engine) {
    let (app, copied) = sealed_with_copy(engine).await;
    let forger = Forger::new(&app).await;
    truncate_chain(&forger, 6, Some(&copied)).await;
    fs::remove_file(app.app.heads_path()).unwrap();
    forger.execute_raw_sql("update installation set heads = null").await;
    assert_fault(&faults(&app, true).await, "does not say which heads");
    // The service does not start a new chain by itself.
    let next = app.second_instance().await;
    next.create_user("v@example.com", Role::Viewer).await;
    next.app.seal_audit_log().await.unwrap();
    assert_fault(&faults(&next, true).await, "does not say which heads");
    let junk = testkit::bytes_literal(app.database(), &[1; 64]);
    forger.execute_raw_sql(&format!("update installation set heads = {junk}")).await;
    assert_fault(&faults(&next, true).await, "does not say which heads");
}

async fn texts_that_nobody_erased_are_missed(engine: Engine) {
    let app = app_with_sealed_log(engine).await;
    Forger::new(&app).await.execute_raw_sql("delete from audit_texts where audit_id = 4").await;
    assert_fault(
        &faults(&app, false).await,
        "1 rows of the audit log lack their personal text, the first of them row 4",
    );
}

async fn rows_that_the_service_seals_again_are_found(engine: Engine) {
    let app = app_with_sealed_log(engine).await;
    drop_audit_triggers(app.database()).await;
    let forger = Forger::new(&app).await;
    forger
        .execute_raw_sql(
            "insert into audit_unsealed (audit_id) select audit_id from audit_seals where chain = 1 and position > 5;
             delete from audit_seals where chain = 1 and position > 5;
             update audit_log set details = '{\"reason\":\"nothing\"}' where id in (select audit_id from audit_unsealed);
             update audit_chains set position = 5,
                 head = (select hash from audit_seals where chain = 1 and position = 5) where chain = 1",
        )
        .await;
    app.app.seal_audit_log().await.unwrap();
    // The sealer, which has the key, does not confirm an end that it did not make.
    assert_fault(&faults(&app, false).await, "no key of this installation ended it");
    assert_fault(&faults(&app, true).await, "is not the one recorded");
}

async fn a_database_made_to_look_old_is_found(engine: Engine) {
    let app = app_with_sealed_log(engine).await;
    drop_audit_triggers(app.database()).await;
    let forger = Forger::new(&app).await;
    forger
        .execute_raw_sql("update audit_log set details = '{\"reason\":\"nothing\"}' where id between 3 and 7")
        .await;
    forger.reseal(1, true, 100).await;
    let key = testkit::bytes_literal(app.database(), &[7; 32]);
    forger
        .execute_raw_sql(&format!(
            "delete from key_epochs; delete from signing_keys; delete from sessions; delete from audit_marks;
             update installation set key_id = null, audit_key = {key}"
        ))
        .await;
    // The next start takes it for a database without keys and seals it. The recorded heads show the difference.
    let next = app.second_instance().await;
    let found = faults(&next, true).await;
    assert!(
        found.iter().any(|fault| fault.contains("are not signed with a key of this installation")),
        "{found:?}"
    );
}
