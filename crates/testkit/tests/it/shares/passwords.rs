//! Places for hashing passwords.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;
use testkit::{Engine, PASSWORD, look, on_both_engines};
use tokio::task::JoinSet;

use super::Neighbours;

on_both_engines!(logins_from_one_address_leave_a_place, logins_to_one_account_leave_a_place);

const LOGINS: usize = 60;

/// Logins that are all refused, from these addresses and to these accounts; counts those that have ended.
fn flood(
    of: &Arc<Neighbours>,
    from: fn(usize) -> String,
    email: fn(usize) -> String,
) -> (JoinSet<()>, Arc<AtomicUsize>) {
    let (mut logins, ended) = (JoinSet::new(), Arc::new(AtomicUsize::new(0)));
    for number in 0..LOGINS {
        let (of, ended) = (Arc::clone(of), Arc::clone(&ended));
        logins.spawn(async move {
            let credentials = json!({ "email": email(number), "password": "wrong" });
            let request = of.app.post("/api/v1/session").from(&from(number)).json(&credentials);
            let reply = request.send().await;
            assert!([401, 503].contains(&reply.status.as_u16()), "{}", reply.json());
            ended.fetch_add(1, Ordering::Relaxed);
        });
    }
    (logins, ended)
}

async fn modest_signs_in(of: &Neighbours, mut logins: JoinSet<()>, ended: &AtomicUsize) {
    // From here on their hashes are computed, or wait to be.
    let counted = "select cast(coalesce(sum(refusals), 0) as text) from login_throttle";
    while look(of.app.database(), counted).await[0].parse::<usize>().unwrap() < LOGINS {
        tokio::task::yield_now().await;
    }
    let before = ended.load(Ordering::Relaxed);
    let credentials = json!({ "email": of.modest.email, "password": PASSWORD });
    let request = of.app.post("/api/v1/session").from("192.0.2.77").json(&credentials);
    request.send().await.expect(201);
    // Whoever waits behind all of them sees nearly all of them end; with a place of one's own it is a few.
    let meanwhile = ended.load(Ordering::Relaxed) - before;
    assert!(meanwhile < (LOGINS - before) / 2 + 3, "{meanwhile} of {} logins went before", LOGINS - before);
    logins.shutdown().await;
}

async fn start(engine: Engine) -> Arc<Neighbours> {
    Neighbours::start(engine, |config| {
        // Slow enough that the others wait.
        config.auth.argon2.memory_kib = 16_384;
        config.auth.argon2.passes = 3;
        config.auth.attempts.slow_after = 1_000;
        config.database.acquire_timeout_s = 60;
    })
    .await
}

async fn logins_from_one_address_leave_a_place(engine: Engine) {
    let of = start(engine).await;
    let (logins, ended) =
        flood(&of, |_| "192.0.2.1".to_owned(), |number| format!("someone{number}@example.com"));
    modest_signs_in(&of, logins, &ended).await;
}

async fn logins_to_one_account_leave_a_place(engine: Engine) {
    let of = start(engine).await;
    let (logins, ended) =
        flood(&of, |number| format!("192.0.2.{number}"), |_| "greedy0@example.com".to_owned());
    modest_signs_in(&of, logins, &ended).await;
}
