//! Sessions of signed-in users, by cookie (API V1) and by JWT (API V2).

use domain::{
    BrandId, OpenSession, Page, PageRequest, Role, SessionId, SessionKind, Timestamp, UserId, UserState,
};

use crate::engine::page::{self, Keyed};
use crate::engine::row::{Id, impl_from_word};
use crate::engine::statement::{Statement, sql};
use crate::{Error, Platform, Tx};

impl_from_word! { SessionKind, |word| SessionKind::parse(word).ok_or(()); }

#[derive(Clone, Debug, macros::FromRow)]
pub struct Session {
    /// `sid` in a JWT.
    pub id: SessionId,
    #[row(column = "user_id")]
    pub user: UserId,
    pub kind: SessionKind,
    /// See [`SessionKind`].
    pub secret: Vec<u8>,
    /// Number of times that the refresh token was replaced.
    pub generation: i64,
    /// Time at which the refresh token was last replaced.
    pub refreshed_at: Timestamp,
    /// Accurate to about a minute.
    pub last_used_at: Timestamp,
    /// Time at which the session ends at the latest.
    pub expires_at: Timestamp,
    /// Time at which the session was ended, for example by a logout.
    pub ended_at: Option<Timestamp>,
    /// Time at which the user last proved their identity: at the login, or since then.
    pub proven_at: Timestamp,
}

/// A session with its user and brand.
#[derive(Clone, Debug, macros::FromRow)]
pub struct SessionWithUser {
    #[row(flatten)]
    pub session: Session,
    #[row(column = "brand_id")]
    pub brand: BrandId,
    pub brand_name: String,
    pub email: String,
    pub name: String,
    pub role: Role,
    /// Whether the user may still sign in.
    pub state: UserState,
    /// Whether the user sees only some projects.
    pub restricted: bool,
    /// Whether viewers of the brand see people's names too.
    pub viewers_see_names: bool,
    /// Whether the password was generated, and the user has yet to choose one.
    pub password_change_due: bool,
    /// Whether the user has a confirmed second factor.
    pub has_second_factor: bool,
    /// The roles of the brand that require a second factor.
    pub second_factor_roles: Vec<Role>,
}

impl Keyed for OpenSession {
    fn key(&self) -> (&str, i64) {
        ("", self.id.0)
    }
}

#[derive(Clone, Debug)]
pub struct NewSession<'a> {
    pub brand: BrandId,
    pub user: UserId,
    pub kind: SessionKind,
    /// See [`SessionKind`].
    pub secret: &'a [u8],
    /// Time at which the session ends at the latest.
    pub expires_at: Timestamp,
    /// The client's address.
    pub address: &'a str,
}

const COLUMNS: &str =
    "select s.id, s.user_id, s.kind, s.secret, s.generation, s.refreshed_at, s.last_used_at,
    s.expires_at, s.ended_at, s.proven_at, b.id as brand_id, b.name as brand_name, u.email, u.name, u.role, u.state,
    u.restricted, u.password_change_due, b.viewers_see_names, b.second_factor_roles,
    f.user_id is not null as has_second_factor
    from sessions s join users u on u.id = s.user_id join brands b on b.id = s.brand_id
    left join second_factors f on f.user_id = s.user_id and f.confirmed_at is not null";

/// All sessions of the installation.
pub struct Sessions<'a>(&'a mut Tx);

impl Tx {
    pub fn sessions(&mut self, _: &Platform) -> Sessions<'_> {
        Sessions(self)
    }
}

#[macros::boxed]
impl Sessions<'_> {
    pub async fn add(&mut self, new: &NewSession<'_>, now: Timestamp) -> Result<SessionId, Error> {
        let Id(id) = self
            .0
            .one(sql!(
                "insert into sessions (brand_id, user_id, kind, secret, generation, refreshed_at, created_at,
                     last_used_at, proven_at, expires_at, address)
                 values ($1, $2, $3, $4, 0, $5, $5, $5, $5, $6, $7) returning id",
                new.brand,
                new.user,
                new.kind.as_str(),
                new.secret,
                now,
                new.expires_at,
                new.address
            ))
            .await?;
        Ok(id)
    }

    /// Finds the cookie session whose cookie has that hash.
    pub async fn by_cookie_hash(&mut self, hash: &[u8]) -> Result<Option<SessionWithUser>, Error> {
        self.0
            .optional(
                sql!(COLUMNS)
                    .push_with(" where s.secret = $? and s.kind = $?", [hash.into(), "cookie".into()]),
            )
            .await
    }

    /// Finds the JWT session of that id.
    pub async fn by_id(&mut self, id: SessionId) -> Result<Option<SessionWithUser>, Error> {
        self.0.optional(Self::of_id(id)).await
    }

    /// Finds sessions of either kind by id, live or ended. There must not be thousands.
    pub async fn among(&mut self, ids: &[SessionId]) -> Result<Vec<SessionWithUser>, Error> {
        self.0.all(sql!(COLUMNS).push(" where 1 = 1").and_in_padded("s.id", ids.iter().copied())).await
    }

    /// The same as [`Sessions::by_id`]; other writers wait until this transaction ends.
    pub async fn by_id_locked(&mut self, id: SessionId) -> Result<Option<SessionWithUser>, Error> {
        // Lock first, then read: a statement that waited may have joined stale rows before the wait.
        let lock = self.0.row_lock();
        self.0
            .optional::<Session>(
                sql!(
                    "select id, user_id, kind, secret, generation, refreshed_at, last_used_at, expires_at, ended_at,
                         proven_at
                     from sessions where id = $1",
                    id
                )
                .push(lock),
            )
            .await?;
        self.by_id(id).await
    }

    fn of_id(id: SessionId) -> Statement {
        sql!(COLUMNS).push_with(" where s.id = $? and s.kind = $?", [id.into(), "jwt".into()])
    }

    /// Advances a refresh token family to its next generation.
    pub async fn record_refresh(
        &mut self,
        id: SessionId,
        generation: i64,
        now: Timestamp,
    ) -> Result<(), Error> {
        self.0
            .execute(sql!(
                "update sessions set generation = $2, refreshed_at = $3, last_used_at = $3 where id = $1",
                id,
                generation,
                now
            ))
            .await?;
        Ok(())
    }

    pub async fn record_use(&mut self, id: SessionId, now: Timestamp) -> Result<(), Error> {
        self.0.execute(sql!("update sessions set last_used_at = $2 where id = $1", id, now)).await?;
        Ok(())
    }

    /// Records that this user proved their identity and replaces the session's secret. Returns false if the session is not theirs or
    /// not open.
    pub async fn record_proof(
        &mut self,
        (id, user): (SessionId, UserId),
        secret: &[u8],
        now: Timestamp,
    ) -> Result<bool, Error> {
        let proven = self
            .0
            .execute(sql!(
                "update sessions set proven_at = $3, secret = $4 where id = $1 and user_id = $2 and ended_at is null",
                id,
                user,
                now,
                secret
            ))
            .await?;
        Ok(proven > 0)
    }

    /// Ends a session. Returns whether it was open.
    pub async fn end(&mut self, id: SessionId, now: Timestamp) -> Result<bool, Error> {
        let ended = self
            .0
            .execute(sql!("update sessions set ended_at = $2 where id = $1 and ended_at is null", id, now))
            .await?;
        Ok(ended > 0)
    }

    /// Ends all sessions of the installation and returns how many were open.
    pub async fn end_all(&mut self, now: Timestamp) -> Result<u64, Error> {
        self.0.execute(sql!("update sessions set ended_at = $1 where ended_at is null", now)).await
    }

    /// Ends all sessions of a user and returns how many were open.
    pub async fn end_all_of(&mut self, user: UserId, now: Timestamp) -> Result<u64, Error> {
        self.0
            .execute(sql!(
                "update sessions set ended_at = $2 where user_id = $1 and ended_at is null",
                user,
                now
            ))
            .await
    }

    /// Ends all sessions of a user except one and returns how many were open.
    pub async fn end_others_of(
        &mut self,
        user: UserId,
        except: SessionId,
        now: Timestamp,
    ) -> Result<u64, Error> {
        self.0
            .execute(sql!(
                "update sessions set ended_at = $3 where user_id = $1 and id <> $2 and ended_at is null",
                user,
                except,
                now
            ))
            .await
    }

    /// Ends all sessions of a user except the `limit` most recently used, and returns how many were open. A use in the future, stamped
    /// while the clock was ahead, counts as now, so that it never displaces a session that has just been created.
    pub async fn end_least_recent(&mut self, user: UserId, limit: i64, now: Timestamp) -> Result<u64, Error> {
        self.0
            .execute(sql!(
                "update sessions set ended_at = $3 where user_id = $1 and ended_at is null and id not in (
                     select id from sessions where user_id = $1 and ended_at is null
                     order by case when last_used_at > $3 then $3 else last_used_at end desc, id desc limit $2)",
                user,
                limit,
                now
            ))
            .await
    }

    /// Returns one page of a user's open sessions, newest first, that were used after the time given for their kind.
    pub async fn page_of(
        &mut self,
        user: UserId,
        now: Timestamp,
        used_since: (Timestamp, Timestamp),
        page: &PageRequest,
    ) -> Result<Page<OpenSession>, Error> {
        let list = format!("sessions of {user}");
        let statement = open_sessions(user, now, used_since);
        let order = (" and id < $?", " order by id desc");
        let rows = self.0.all(page::order_by_id(statement, order, &list, page)?).await?;
        Ok(page::into_page(rows, &list, page))
    }

    /// Returns an open session of a user that was used after the time given for its kind.
    pub async fn find_open(
        &mut self,
        user: UserId,
        id: SessionId,
        now: Timestamp,
        used_since: (Timestamp, Timestamp),
    ) -> Result<Option<OpenSession>, Error> {
        self.0.optional(open_sessions(user, now, used_since).push_with(" and id = $?", [id.into()])).await
    }

    /// Ends a session of this user. Returns false if it is not theirs or not open.
    pub async fn end_own(&mut self, user: UserId, id: SessionId, now: Timestamp) -> Result<bool, Error> {
        let ended = self
            .0
            .execute(sql!(
                "update sessions set ended_at = $3 where user_id = $1 and id = $2 and ended_at is null",
                user,
                id,
                now
            ))
            .await?;
        Ok(ended > 0)
    }

    /// Deletes sessions that expired before `before`.
    pub async fn delete_before(&mut self, before: Timestamp) -> Result<u64, Error> {
        self.0.execute(sql!("delete from sessions where expires_at < $1", before)).await
    }
}

/// Selects the open sessions of a user that were used after a time: one for cookies, and one for JWTs.
fn open_sessions(
    user: UserId,
    now: Timestamp,
    (cookies_since, jwts_since): (Timestamp, Timestamp),
) -> Statement {
    sql!(
        "select id, kind, address, created_at, last_used_at, expires_at from sessions
         where user_id = $1 and ended_at is null and expires_at > $2
         and last_used_at > case when kind = 'cookie' then $3 else $4 end",
        user,
        now,
        cookies_since,
        jwts_since
    )
}
