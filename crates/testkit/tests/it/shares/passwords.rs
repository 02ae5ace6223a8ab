//! Fair share of password hashing.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use domain::Role;
use http::Method;
use serde_json::json;
use testkit::{Engine, PASSWORD, Reply, on_both_engines};
use tokio::task::JoinSet;

use super::TwoBrands;

on_both_engines!(
    logins_from_one_address_leave_a_place,
    logins_to_one_account_leave_a_place,
    logins_to_one_brand_leave_a_place,
    proofs_of_one_brand_leave_a_place,
);

const CALLERS: usize = 30;

/// Concurrent callers that try wrong passwords without pause.
struct Flood {
    callers: JoinSet<()>,
    /// Number of attempts that have ended.
    ended: Arc<AtomicUsize>,
}

/// `attempt` gets the number of the caller and a number unique to the attempt.
fn start_flood<F>(attempt: impl Fn(usize, usize) -> F + Clone + Send + 'static) -> Flood
where
    F: Future<Output = Reply> + Send,
{
    let (mut callers, ended) = (JoinSet::new(), Arc::new(AtomicUsize::new(0)));
    for caller in 0..CALLERS {
        let (attempt, ended) = (attempt.clone(), Arc::clone(&ended));
        callers.spawn(async move {
            for round in 0.. {
                let reply = attempt(caller, caller + CALLERS * round).await;
                assert!([401, 422, 503].contains(&reply.status.as_u16()), "{}", reply.json());
                ended.fetch_add(1, Ordering::Relaxed);
            }
        });
    }
    Flood { callers, ended }
}

fn address(number: usize) -> String {
    format!("10.{}.{}.{}", number >> 16 & 255, number >> 8 & 255, number & 255)
}

async fn log_in(brands: Arc<TwoBrands>, email: String, from: String) -> Reply {
    let credentials = json!({ "email": email, "password": "wrong" });
    brands.app.post("/api/v1/session").with_address(&from).json(&credentials).send().await
}

/// Asserts that the modest brand can sign in while the others wait: it is neither refused nor last in the queue.
async fn assert_modest_signs_in(brands: &TwoBrands, mut flood: Flood) {
    let ended = || flood.ended.load(Ordering::Relaxed);
    // From here on nearly all callers wait for their hash.
    while ended() < CALLERS {
        tokio::task::yield_now().await;
    }
    let mut went_before = Vec::new();
    for number in 1..=3 {
        let before = ended();
        let credentials = json!({ "email": brands.modest.email, "password": PASSWORD });
        let request = brands
            .app
            .post("/api/v1/session")
            .with_address(&format!("198.51.100.{number}"))
            .json(&credentials);
        request.send().await.expect(201);
        went_before.push(ended() - before);
    }
    // A caller at the end of the queue is always last, while a disk that stalls delays one attempt.
    let in_time = went_before.iter().filter(|&&count| count < CALLERS / 2).count();
    assert!(in_time >= 2, "{went_before:?} of {CALLERS} went before");
    assert!(flood.callers.try_join_next().is_none(), "they still try");
    flood.callers.shutdown().await;
}

async fn start(engine: Engine) -> Arc<TwoBrands> {
    TwoBrands::start(engine, |config| {
        // Slow enough that callers have to wait.
        config.auth.argon2.memory_kib = 16_384;
        config.auth.argon2.iterations = 3;
        config.auth.attempts.delay_after = 1_000_000;
        config.limits.login_per_minute = web::Quota(10_000);
        config.database.acquire_timeout_s = 60;
    })
    .await
}

/// Starts with a domain of its own for the modest brand.
async fn start_with_domains(engine: Engine) -> Arc<TwoBrands> {
    let of = start(engine).await;
    let of = Arc::into_inner(of).unwrap();
    let modest = of.app.sign_in_new_user_in_brand("Modest", "mo@modest.example", Role::Admin).await;
    Arc::new(TwoBrands { modest, ..of })
}

async fn logins_to_one_brand_leave_a_place(engine: Engine) {
    let of = start_with_domains(engine).await;
    // Known and unknown accounts wait alike.
    for number in 0..CALLERS {
        of.app.create_user_in_brand("Greedy", &format!("user{number}@greedy.example"), Role::Viewer).await;
    }
    let greedy = Arc::clone(&of);
    let flood = start_flood(move |_, number| {
        log_in(Arc::clone(&greedy), format!("user{number}@greedy.example"), address(number))
    });
    assert_modest_signs_in(&of, flood).await;
}

async fn proofs_of_one_brand_leave_a_place(engine: Engine) {
    let of = start_with_domains(engine).await;
    let mut cookies = Vec::new();
    for number in 0..CALLERS {
        let email = format!("user{number}@example{number}.com");
        of.app.create_user_in_brand("Greedy", &email, Role::Viewer).await;
        cookies.push(of.app.log_in_v1(&email, PASSWORD).await.expect(201).session_cookie());
    }
    let (greedy, cookies) = (Arc::clone(&of), Arc::new(cookies));
    let flood = start_flood(move |caller, number| {
        let (of, cookies) = (Arc::clone(&greedy), Arc::clone(&cookies));
        async move {
            let body = json!({ "current_password": "wrong", "new_password": "seven grey otters row" });
            let change = of.app.request(Method::PUT, "/api/v1/session/password").cookie(&cookies[caller]);
            change.with_address(&address(number)).json(&body).send().await
        }
    });
    assert_modest_signs_in(&of, flood).await;
}

async fn logins_from_one_address_leave_a_place(engine: Engine) {
    let of = start(engine).await;
    let greedy = Arc::clone(&of);
    let flood = start_flood(move |_, number| {
        log_in(Arc::clone(&greedy), format!("someone{number}@example.com"), "192.0.2.1".to_owned())
    });
    assert_modest_signs_in(&of, flood).await;
}

async fn logins_to_one_account_leave_a_place(engine: Engine) {
    let of = start(engine).await;
    let greedy = Arc::clone(&of);
    let flood = start_flood(move |_, number| {
        log_in(Arc::clone(&greedy), "greedy0@example.com".to_owned(), address(number))
    });
    assert_modest_signs_in(&of, flood).await;
}
