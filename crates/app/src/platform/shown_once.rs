//! Forms that show a secret once, such as a new token, although they may be sent twice.
//!
//! Only the hash of a secret is stored, so that a repeat cannot read it. A browser shows the answer to the last click, though, and drops
//! the one before: the process that made the secret therefore remembers it for some seconds, for the same form of the same user.

use std::sync::OnceLock;

use domain::{IdempotencyKey, Span, StoredResponse};
use store::Tx;

use crate::platform::idempotency::Idempotent;
use crate::platform::short_memory::ShortMemory;
use crate::{App, Error};

/// Longer than a repeat waits for the first request.
const LIFETIME: Span = Span::seconds(30);

/// The answer to a form that shows a secret.
pub struct ShownOnce {
    /// The answer that is stored for repeats, without the secret.
    pub answer: StoredResponse,
    /// The secret; none if the form was sent earlier, or to another process.
    pub secret: Option<String>,
}

/// The secrets that were made a moment ago, by the forms that were sent.
pub(crate) struct RecentSecrets(ShortMemory<IdempotencyKey, RecentSecret>);

#[derive(Clone)]
struct RecentSecret {
    /// The request that made it. Another one may have been committed in its place, in another process.
    attempt: String,
    secret: String,
}

impl Default for RecentSecrets {
    fn default() -> Self {
        Self(ShortMemory::lasting(LIFETIME))
    }
}

impl App {
    /// Drops the secrets and proofs that are kept for forms that are sent twice, and that are over. Every process does so now and then, so
    /// that nothing of them stays in the memory of one that has nothing else to do.
    pub fn forget_what_is_over(&self) {
        let now = self.clock.monotonic();
        self.recent_secrets.0.drop_old(now);
        self.recent_proofs.drop_old(now);
    }

    /// Runs an effect that makes a secret, once for each key. The stored answer names the request that was committed and does not contain
    /// the secret; its body is not that of the caller.
    pub(crate) async fn run_once_with_secret<T: 'static>(
        &self,
        idempotent: Idempotent<'_, T>,
        effect: impl AsyncFnOnce(&mut Tx) -> Result<(T, String), Error>,
    ) -> Result<ShownOnce, Error> {
        let Idempotent { key, repeat, respond } = idempotent;
        let attempt = format!("\"{}\"", self.generate_secret());
        let made = OnceLock::new();
        // Called before the commit. A browser that drops a request may do so during the commit, after which nothing of it runs any more.
        let remember = |(record, secret): &(T, String)| {
            let recent = RecentSecret { attempt: attempt.clone(), secret: secret.clone() };
            if let Some(key) = &key {
                self.recent_secrets.0.insert(key.clone(), recent.clone(), self.clock.monotonic());
            }
            made.get_or_init(|| recent);
            StoredResponse { body: attempt.clone(), ..respond(record) }
        };
        let noted = Idempotent { key: key.clone(), repeat, respond: Box::new(remember) };
        let answer = self.run_idempotent(noted, effect).await?;
        let remembered = || self.recent_secrets.0.find(key.as_ref()?, self.clock.monotonic());
        let recent = made.into_inner().or_else(remembered);
        let secret = recent.filter(|recent| recent.attempt == answer.body).map(|recent| recent.secret);
        Ok(ShownOnce { answer, secret })
    }
}
