//! From a credential to who it stands for, remembered briefly.
//!
//! What is remembered is thrown away as soon as the installation's `auth_version` moves, which each process looks at
//! before it trusts its memory for longer than [`LOOK_EVERY`]. So a logout or a revocation anywhere is seen
//! everywhere within a second, and a request costs no query while nothing changes.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use domain::{BrandId, Monotonic, SessionId, Span, Timestamp, UserState};
use sha2::{Digest, Sha256};
use store::{Projects, SessionKind, SignedIn, Tenant, Tx};
use tokio::sync::Mutex;
use tokio::time::{Instant, timeout};

use crate::accounts::identity::{Credential, DeviceIdentity, Identity, Known, Refusal};
use crate::accounts::jwt::{self, Keys};
use crate::{App, Error, Kind, UserIdentity};

/// How old the last look at `auth_version` may be before the next request looks again.
const LOOK_EVERY: Span = Span::millis(400);
/// How old it may be while that look is under way; after this everyone waits for it.
const LOOK_AT_LATEST: Span = Span::millis(900);
/// How long an identity is remembered. Last use is written when it is read anew, so at most once in this time.
const REMEMBERED: Span = Span::minutes(1);
/// How long a look may take before the store counts as away.
const LONGEST_LOOK: Duration = Duration::from_secs(3);
/// How long a request waits for its last use to be written down.
const LONGEST_BOOKKEEPING: Duration = Duration::from_millis(500);
/// How many identities are remembered at most; beyond it the memory starts anew.
const MOST: usize = 50_000;

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Key {
    Cookie([u8; 32]),
    Session(SessionId),
    Device([u8; 32]),
}

struct Remembered {
    identity: Identity,
    since: Monotonic,
}

#[derive(Default)]
struct Memory {
    version: i64,
    /// Moves each time everything is forgotten; what was read in an earlier epoch is not kept.
    epoch: u64,
    looked_at: Option<Monotonic>,
    identities: HashMap<Key, Remembered>,
    /// Credentials that were good once, whether or not who they stand for is still remembered, and of which brand.
    good_once: HashMap<Key, BrandId>,
    keys: Option<Arc<Keys>>,
}

impl Memory {
    fn forget(&mut self) {
        let good_once = std::mem::take(&mut self.good_once);
        *self = Self { version: self.version, epoch: self.epoch + 1, good_once, ..Self::default() };
    }
}

/// What this process remembers of who is who.
#[derive(Default)]
pub(crate) struct Identities {
    memory: RwLock<Memory>,
    /// Held by whoever looks; holds when a look last failed.
    looking: Mutex<Option<Instant>>,
}

impl Identities {
    fn read<T>(&self, look: impl FnOnce(&Memory) -> T) -> T {
        look(&self.memory.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn write<T>(&self, change: impl FnOnce(&mut Memory) -> T) -> T {
        change(&mut self.memory.write().unwrap_or_else(PoisonError::into_inner))
    }

    fn age_of_look(&self, now: Monotonic) -> Option<Span> {
        self.read(|memory| memory.looked_at).map(|at| now - at)
    }
}

impl App {
    /// Whose share finding out who a credential stands for counts against, if it was found good before: that of its brand, so that none
    /// can hold up the look-ups of another. If it was not, finding out costs a query that strangers could ask for without end.
    pub fn tenant_of_known(&self, credential: Credential<'_>) -> Option<Tenant> {
        let key = match credential {
            Credential::Cookie(cookie) => Key::Cookie(digest(cookie)),
            Credential::Device(token, _) => Key::Device(digest(token)),
            // The signature keeps strangers from asking the store.
            Credential::Jwt(_) => return Some(Tenant::Returning),
        };
        self.identities.read(|memory| memory.good_once.get(&key).copied()).map(Tenant::Brand)
    }

    /// Finds who a credential stands for. The outer error is a failure of ours, the inner one a refusal.
    pub async fn identify(&self, credential: Credential<'_>) -> Result<Result<Known, Refusal>, Error> {
        self.look_at_version().await?;
        match credential {
            Credential::Cookie(cookie) => {
                let found = self.identify_by(Key::Cookie(digest(cookie))).await?;
                Ok(found.map(|identity| {
                    let good_until = match &identity {
                        Identity::User(user) => Some(user.session_expires_at),
                        Identity::Device(_) => None,
                    };
                    Known { identity, good_until }
                }))
            }
            Credential::Jwt(token) => match self.verify(token).await? {
                Err(refusal) => Ok(Err(refusal)),
                Ok(bearer) => {
                    let found = self.identify_by(Key::Session(bearer.session)).await?;
                    Ok(found.and_then(|identity| match &identity {
                        Identity::User(user) if user.user == bearer.user => {
                            Ok(Known { identity, good_until: Some(bearer.expires_at) })
                        }
                        _ => Err(Refusal::Invalid),
                    }))
                }
            },
            Credential::Device(token, kinds) => {
                if !kinds.iter().any(|kind| token.starts_with(kind.prefix())) {
                    return Ok(Err(Refusal::Invalid));
                }
                let found = self.identify_by(Key::Device(digest(token))).await?;
                Ok(found.and_then(|identity| match &identity {
                    Identity::Device(device) if kinds.contains(&device.token.kind) => {
                        Ok(Known { identity, good_until: None })
                    }
                    _ => Err(Refusal::Invalid),
                }))
            }
        }
    }

    async fn identify_by(&self, key: Key) -> Result<Result<Identity, Refusal>, Error> {
        if let Some(identity) = self.recall(key) {
            return Ok(Ok(identity));
        }
        // Taken before the rows are read: a change that comes between makes what was read unfit to be kept.
        let epoch = self.identities.read(|memory| memory.epoch);
        let found = match key {
            Key::Cookie(hash) => {
                let mut tx = self.store.read().await?;
                let found = tx.sessions(&self.platform).by_cookie_hash(&hash).await?;
                self.judge_session(tx, found).await?
            }
            Key::Session(id) => {
                let mut tx = self.store.read().await?;
                let found = tx.sessions(&self.platform).by_id(id).await?;
                self.judge_session(tx, found).await?
            }
            Key::Device(hash) => self.find_device(hash).await?,
        };
        if let Ok(identity) = &found {
            let brand = identity.brand();
            let remembered = Remembered { identity: identity.clone(), since: self.clock.monotonic() };
            self.identities.write(|memory| {
                if memory.good_once.len() >= MOST {
                    memory.good_once.clear();
                }
                memory.good_once.insert(key, brand);
                if memory.epoch == epoch {
                    if memory.identities.len() >= MOST {
                        memory.identities.clear();
                    }
                    memory.identities.insert(key, remembered);
                }
            });
        }
        Ok(found)
    }

    fn recall(&self, key: Key) -> Option<Identity> {
        let (now, elapsed) = (self.clock.now(), self.clock.monotonic());
        self.identities.read(|memory| {
            let remembered = memory.identities.get(&key)?;
            let ends = match &remembered.identity {
                Identity::User(user) => now >= user.session_expires_at,
                Identity::Device(_) => false,
            };
            (elapsed - remembered.since < REMEMBERED && !ends).then(|| remembered.identity.clone())
        })
    }

    async fn judge_session(
        &self,
        mut tx: Tx,
        found: Option<SignedIn>,
    ) -> Result<Result<Identity, Refusal>, Error> {
        let now = self.clock.now();
        let Some(found) = found else { return Ok(Err(Refusal::Invalid)) };
        if let Err(refusal) = self.session_stands(&found, now) {
            drop(tx);
            if refusal == Refusal::Expired && found.session.ended_at.is_none() {
                self.end_expired_session(found.session.id, now).await;
            }
            return Ok(Err(refusal));
        }
        let projects = if found.restricted {
            Projects::Only(tx.users(&self.platform).projects(found.session.user).await?)
        } else {
            Projects::All
        };
        drop(tx);
        if is_due(found.session.last_used_at, now) {
            let id = found.session.id;
            self.remember_use(async |tx| tx.sessions(&self.platform).used(id, now).await).await;
        }
        Ok(Ok(Identity::User(Arc::new(UserIdentity {
            user: found.session.user,
            email: found.email,
            name: found.name,
            role: found.role,
            session: found.session.id,
            session_expires_at: found.session.expires_at,
            brand_name: found.brand_name,
            viewers_see_names: found.viewers_see_names,
            password_change_due: found.password_change_due,
            has_second_factor: found.has_second_factor,
            second_factor_required: found.second_factor_roles.contains(&found.role),
            session_kind: found.session.kind,
            proven_at: found.session.proven_at,
            scope: self.platform.scope(found.brand, projects),
        }))))
    }

    /// Writes down that a session was found expired, and has every process forget it: it stays so when the clock is set back.
    async fn end_expired_session(&self, id: SessionId, now: Timestamp) {
        let work = async {
            let mut tx = self.store.begin().await?;
            tx.sessions(&self.platform).end(id, now).await?;
            self.commit_access_change(tx).await
        };
        match timeout(LONGEST_BOOKKEEPING, work).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::warn!("the end of an expired session was not written down: {error}"),
            Err(_) => tracing::warn!("the end of an expired session was not written down in time"),
        }
    }

    /// How long a session may stay without use.
    pub(crate) fn longest_idle(&self, kind: SessionKind) -> Span {
        match kind {
            SessionKind::Cookie => Span::minutes(self.config.cookie_idle_minutes.into()),
            SessionKind::Jwt => Span::minutes(i64::from(self.config.refresh_idle_days) * 24 * 60),
        }
    }

    /// Whether a session is neither ended nor expired nor idle for too long, and its user may still come in. One that was ended after
    /// its time was ended because it had expired.
    pub(crate) fn session_stands(&self, found: &SignedIn, now: Timestamp) -> Result<(), Refusal> {
        let session = &found.session;
        let good_until = session.expires_at.min(session.last_used_at + self.longest_idle(session.kind));
        let at = session.ended_at.unwrap_or(now);
        match session.ended_at {
            _ if found.state != UserState::Active => Err(Refusal::Invalid),
            _ if at >= good_until => Err(Refusal::Expired),
            Some(_) => Err(Refusal::Invalid),
            None => Ok(()),
        }
    }

    async fn find_device(&self, hash: [u8; 32]) -> Result<Result<Identity, Refusal>, Error> {
        let mut tx = self.store.read().await?;
        let Some(token) = tx.tokens(&self.platform).by_hash(hash).await? else {
            return Ok(Err(Refusal::Invalid));
        };
        drop(tx);
        let now = self.clock.now();
        if token.last_used_at.is_none_or(|last| is_due(last, now)) {
            self.remember_use(async |tx| tx.tokens(&self.platform).used(token.id, now).await).await;
        }
        let scope = self.platform.scope(token.brand, Projects::All);
        Ok(Ok(Identity::Device(Arc::new(DeviceIdentity { token, scope }))))
    }

    /// Commits a change of who may come in: this process forgets at once, the others within a second.
    pub(crate) async fn commit_access_change(&self, mut tx: Tx) -> Result<(), Error> {
        tx.installation(&self.platform).raise_auth_version().await?;
        tx.commit().await?;
        self.identities.write(Memory::forget);
        Ok(())
    }

    pub(crate) async fn look_at_version(&self) -> Result<(), Error> {
        let now = self.clock.monotonic();
        let is_fresh = |age: Option<Span>| age.is_some_and(|age| age < LOOK_EVERY);
        let age = self.identities.age_of_look(now);
        if is_fresh(age) {
            return Ok(());
        }
        let began = Instant::now();
        let mut looking = if age.is_some_and(|age| age < LOOK_AT_LATEST) {
            let Ok(looking) = self.identities.looking.try_lock() else { return Ok(()) };
            looking
        } else {
            self.identities.looking.lock().await
        };
        let now = self.clock.monotonic();
        if is_fresh(self.identities.age_of_look(now)) {
            return Ok(());
        }
        // Who waited for a look that failed shares its outcome; else each would wait for one of their own in turn.
        if looking.is_some_and(|failed| failed >= began) {
            return Err(no_answer());
        }
        let epoch = self.identities.read(|memory| memory.epoch);
        let version =
            match timeout(LONGEST_LOOK, self.read_version()).await.unwrap_or_else(|_| Err(no_answer())) {
                Ok(version) => version,
                Err(error) => {
                    *looking = Some(Instant::now());
                    return Err(error);
                }
            };
        self.identities.write(|memory| {
            // If all was forgotten meanwhile, the number may be older than the reason for that.
            if memory.epoch != epoch {
                return;
            }
            if memory.version != version {
                memory.forget();
                memory.version = version;
            }
            memory.looked_at = Some(now);
        });
        Ok(())
    }

    /// The number as it is. If it moved, the keys may have been rotated: whoever lacks the new one knows nobody any more.
    async fn read_version(&self) -> Result<i64, Error> {
        let mut tx = self.store.read().await?;
        let version = tx.installation(&self.platform).auth_version().await?;
        if version != self.identities.read(|memory| memory.version) {
            self.refresh_keys(&mut tx).await.inspect_err(|error| tracing::error!("{error}"))?;
        }
        Ok(version)
    }

    /// Writes a last use down if that can be done soon. It is bookkeeping: a read does not fail for it.
    async fn remember_use(&self, write: impl AsyncFnOnce(&mut Tx) -> Result<(), store::Error>) {
        let work = async {
            let mut tx = self.store.begin().await?;
            write(&mut tx).await?;
            tx.commit().await
        };
        match timeout(LONGEST_BOOKKEEPING, work).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::warn!("a last use was not written down: {error}"),
            Err(_) => tracing::warn!("a last use was not written down in time"),
        }
    }

    /// The signing keys, remembered like everything else here.
    pub(crate) async fn signing_keys(&self) -> Result<Arc<Keys>, Error> {
        if let Some(keys) = self.identities.read(|memory| memory.keys.clone()) {
            return Ok(keys);
        }
        let epoch = self.identities.read(|memory| memory.epoch);
        let mut tx = self.store.read().await?;
        let mut rows = tx.installation(&self.platform).signing_keys().await?;
        for key in &mut rows {
            let sealed_for = (jwt::SEALED_FOR, key.kid.as_bytes());
            key.secret = self.unseal_in(&mut tx, sealed_for, &key.secret).await?;
        }
        drop(tx);
        let keys = Arc::new(Keys::new(&rows)?);
        self.identities.write(|memory| {
            if memory.epoch == epoch {
                memory.keys = Some(Arc::clone(&keys));
            }
        });
        Ok(keys)
    }
}

/// Whether a last use is to be written down; one of the future was written while the clock was ahead.
fn is_due(last: Timestamp, now: Timestamp) -> bool {
    last > now || now - last >= REMEMBERED
}

fn no_answer() -> Error {
    Error::new(Kind::Unavailable, "store_unavailable", "The database cannot be reached.").retry_after(5)
}

pub(crate) fn digest(secret: &str) -> [u8; 32] {
    Sha256::digest(secret).into()
}
