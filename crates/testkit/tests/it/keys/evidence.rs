//! Someone has the whole database in hand, but not the key.

use app::HeadsLog;
use domain::Role;
use testkit::{Engine, TestApp, on_both_engines, take_guards_away};

use super::{Forger, with_key_file};

on_both_engines!(
    rewritten_rows_are_found,
    a_cut_end_is_found,
    rows_that_the_service_seals_again_are_found,
    a_database_made_to_look_old_is_found,
);

/// An application with ten sealed rows of a brand, whose heads are recorded.
async fn sealed(engine: Engine) -> TestApp {
    let app = with_key_file(engine).await;
    for n in 0..9 {
        app.user(&format!("u{n}@example.com"), Role::Viewer).await;
        app.app.seal_audit_log().await.unwrap();
    }
    assert_eq!(faults(&app, true).await, Vec::<String>::new());
    app
}

async fn faults(app: &TestApp, with_heads: bool) -> Vec<String> {
    let log = HeadsLog::read(app.app.heads_path()).unwrap().unwrap();
    let logs = if with_heads { vec![log] } else { Vec::new() };
    app.app.check_audit_log_with(&logs).await.unwrap().faults
}

async fn rewritten_rows_are_found(engine: Engine) {
    for (unkeyed, marks) in [(false, false), (true, false), (true, true)] {
        let app = sealed(engine).await;
        take_guards_away(app.database()).await;
        let forger = Forger::new(&app).await;
        forger
            .run("update audit_log set details = '{\"reason\":\"nothing\"}' where id between 3 and 7")
            .await;
        forger.reseal(1, unkeyed, 100).await;
        if marks {
            let zeros = testkit::bytes_in_sql(app.database(), &[0; 32]);
            forger
                .run(&format!(
                    "insert into audit_marks (chain, epoch, position, head, key_lost, mac)
                     select 1, 1, position, head, {}, {zeros} from audit_chains where chain = 1",
                    if engine == Engine::Sqlite { "1" } else { "true" }
                ))
                .await;
        }
        // Even without a recorded head: nobody makes a link without the key.
        assert!(!faults(&app, false).await.is_empty());
        assert!(!faults(&app, true).await.is_empty());
    }
}

/// Takes the last rows away with all that speaks of them.
async fn cut(forger: &Forger<'_>, position: i64) {
    let after = format!("(select audit_id from audit_seals where chain = 1 and position > {position})");
    forger
        .run(&format!(
            "create table cut as select audit_id as id from audit_seals where chain = 1 and position > {position};
             delete from audit_texts where audit_id in {after};
             delete from audit_seals where chain = 1 and position > {position};
             delete from audit_log where id in (select id from cut); drop table cut;
             update audit_chains set position = {position},
                 head = coalesce((select hash from audit_seals where chain = 1 and position = {position}), head)
                 where chain = 1"
        ))
        .await;
}

async fn a_cut_end_is_found(engine: Engine) {
    let app = sealed(engine).await;
    take_guards_away(app.database()).await;
    cut(&Forger::new(&app).await, 6).await;
    // The database alone cannot show it.
    assert_eq!(faults(&app, false).await, Vec::<String>::new());
    let found = faults(&app, true).await;
    assert!(
        found.len() == 1 && found[0].contains("brand 1: it ends at link 6, and link 10 was recorded"),
        "{found:?}"
    );
    // Nor does it help to let the chain grow over it.
    for n in 0..5 {
        app.user(&format!("v{n}@example.com"), Role::Viewer).await;
        app.app.seal_audit_log().await.unwrap();
    }
    assert_eq!(faults(&app, false).await, Vec::<String>::new());
    let found = faults(&app, true).await;
    assert!(found.iter().any(|fault| fault.contains("and differently at")), "{found:?}");
    assert!(found.iter().any(|fault| fault.contains("is not the one recorded")), "{found:?}");

    // A chain that is gone altogether.
    let app = sealed(engine).await;
    take_guards_away(app.database()).await;
    let forger = Forger::new(&app).await;
    cut(&forger, 0).await;
    forger.run("delete from audit_chains where chain = 1").await;
    assert!(!faults(&app, true).await.is_empty());
}

async fn rows_that_the_service_seals_again_are_found(engine: Engine) {
    let app = sealed(engine).await;
    take_guards_away(app.database()).await;
    let forger = Forger::new(&app).await;
    forger
        .run(
            "insert into audit_unsealed (audit_id) select audit_id from audit_seals where chain = 1 and position > 5;
             delete from audit_seals where chain = 1 and position > 5;
             update audit_log set details = '{\"reason\":\"nothing\"}' where id in (select audit_id from audit_unsealed);
             update audit_chains set position = 5,
                 head = (select hash from audit_seals where chain = 1 and position = 5) where chain = 1",
        )
        .await;
    app.app.seal_audit_log().await.unwrap();
    assert_eq!(faults(&app, false).await, Vec::<String>::new());
    let found = faults(&app, true).await;
    assert!(found.iter().any(|fault| fault.contains("is not the one recorded")), "{found:?}");
}

async fn a_database_made_to_look_old_is_found(engine: Engine) {
    let app = sealed(engine).await;
    take_guards_away(app.database()).await;
    let forger = Forger::new(&app).await;
    forger.run("update audit_log set details = '{\"reason\":\"nothing\"}' where id between 3 and 7").await;
    forger.reseal(1, true, 100).await;
    let key = testkit::bytes_in_sql(app.database(), &[7; 32]);
    forger
        .run(&format!(
            "delete from key_epochs; delete from signing_keys; delete from sessions; delete from audit_marks;
             update installation set key_id = null, audit_key = {key}"
        ))
        .await;
    // The next start takes it for a database from before there were keys, and seals it. The recorded heads know better.
    let next = app.beside().await;
    let found = faults(&next, true).await;
    assert!(
        found.iter().any(|fault| fault.contains("are not signed with a key of this installation")),
        "{found:?}"
    );
}
