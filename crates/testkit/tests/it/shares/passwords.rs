//! Places for hashing passwords.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;
use testkit::{Engine, PASSWORD, on_both_engines};
use tokio::task::JoinSet;

use super::Neighbours;

on_both_engines!(
    logins_from_one_address_leave_a_place,
    logins_to_one_account_leave_a_place,
    logins_to_one_brand_leave_a_place,
    proofs_of_one_brand_leave_a_place,
);

const LOGINS: usize = 30;

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

/// The modest one signs in while the others wait: it is not refused, and it does not come after them.
async fn modest_signs_in(of: &Neighbours, mut logins: JoinSet<()>, ended: &AtomicUsize) {
    // From here on their hashes are computed.
    while ended.load(Ordering::Relaxed) == 0 {
        tokio::task::yield_now().await;
    }
    for address in 1..=3 {
        let credentials = json!({ "email": of.modest.email, "password": PASSWORD });
        let request =
            of.app.post("/api/v1/session").from(&format!("198.51.100.{address}")).json(&credentials);
        request.send().await.expect(201);
        assert!(ended.load(Ordering::Relaxed) < LOGINS, "all logins of others went before");
    }
    logins.shutdown().await;
}

async fn start(engine: Engine) -> Arc<Neighbours> {
    Neighbours::start(engine, |config| {
        // Slow enough that the others wait.
        config.auth.argon2.memory_kib = 16_384;
        config.auth.argon2.passes = 3;
        config.auth.attempts.slow_after = 1_000;
        config.limits.login = web::Quota(10_000);
        config.database.acquire_timeout_s = 60;
    })
    .await
}

/// The modest brand has a domain of its own.
async fn start_with_domains(engine: Engine) -> Arc<Neighbours> {
    let of = start(engine).await;
    let of = Arc::into_inner(of).unwrap();
    let modest = of.app.signed_in_of("Modest", "mo@modest.example", domain::Role::Admin).await;
    Arc::new(Neighbours { modest, ..of })
}

async fn logins_to_one_brand_leave_a_place(engine: Engine) {
    let of = start_with_domains(engine).await;
    for number in 0..LOGINS {
        // Known accounts and unknown ones wait alike.
        if number % 2 == 0 {
            of.app.user_of("Greedy", &format!("user{number}@greedy.example"), domain::Role::Viewer).await;
        }
    }
    let (logins, ended) =
        flood(&of, |number| format!("192.0.2.{number}"), |number| format!("user{number}@greedy.example"));
    modest_signs_in(&of, logins, &ended).await;
}

async fn proofs_of_one_brand_leave_a_place(engine: Engine) {
    let of = start_with_domains(engine).await;
    let mut users = Vec::new();
    for number in 0..LOGINS {
        let email = format!("user{number}@example{number}.com");
        users.push(of.app.signed_in_of("Greedy", &email, domain::Role::Viewer).await);
    }
    let (mut proofs, ended) = (JoinSet::new(), Arc::new(AtomicUsize::new(0)));
    for (number, user) in users.into_iter().enumerate() {
        let (of, ended) = (Arc::clone(&of), Arc::clone(&ended));
        proofs.spawn(async move {
            let body = json!({ "current_password": "wrong", "new_password": "seven grey otters row" });
            let change = of.app.request(http::Method::PUT, "/api/v1/session/password").cookie(&user.cookie);
            let reply = change.from(&format!("192.0.2.{number}")).json(&body).send().await;
            assert!([401, 422, 503].contains(&reply.status.as_u16()), "{}", reply.json());
            ended.fetch_add(1, Ordering::Relaxed);
        });
    }
    modest_signs_in(&of, proofs, &ended).await;
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
