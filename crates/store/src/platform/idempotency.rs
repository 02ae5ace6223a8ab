//! Stored responses by idempotency key, so that a repeated write gets the same response.

use domain::row::FromRow;
use domain::{IdempotencyKey, PersonId, StoredResponse, Timestamp};

use crate::engine::page::Count;
use crate::engine::row::Row;
use crate::engine::statement::sql;
use crate::{Error, Tx};

/// The status of a response that named a person who has since been erased.
const ERASED: u16 = 0;

struct StoredEntry {
    body_hash: Vec<u8>,
    response: Option<StoredResponse>,
}

impl FromRow<Row> for StoredEntry {
    fn from_row(row: &Row) -> Result<Self, Error> {
        let status: i64 = row.get("status")?;
        Ok(Self {
            body_hash: row.get("body_hash")?,
            response: match u16::try_from(status).unwrap_or(500) {
                ERASED => None,
                status => Some(StoredResponse {
                    status,
                    location: row.get("location")?,
                    version: row.get("version")?,
                    body: row.get("answer")?,
                }),
            },
        })
    }
}

/// The stored responses. The key contains the caller, so that callers can reach only their own.
pub struct IdempotencyKeys<'a>(&'a mut Tx);

impl Tx {
    pub fn idempotency_keys(&mut self) -> IdempotencyKeys<'_> {
        IdempotencyKeys(self)
    }
}

#[macros::boxed]
impl IdempotencyKeys<'_> {
    /// Returns the response to an earlier write with the same key, unless it was erased, and whether the request bodies are equal.
    pub async fn find(
        &mut self,
        key: &IdempotencyKey,
    ) -> Result<Option<(Option<StoredResponse>, bool)>, Error> {
        let stored: Option<StoredEntry> = self
            .0
            .optional(sql!(
                "select body_hash, status, location, version, answer from idempotency_keys
                 where caller = $1 and operation = $2 and key = $3",
                key.caller.as_str(),
                key.operation.as_str(),
                key.key.as_str()
            ))
            .await?;
        Ok(stored.map(|stored| (stored.response, stored.body_hash == key.body_hash)))
    }

    /// Whether a response under this key was stored at or after `since`.
    pub async fn has_response_since(
        &mut self,
        key: &IdempotencyKey,
        since: Timestamp,
    ) -> Result<bool, Error> {
        let Count(count) = self
            .0
            .one(sql!(
                "select count(*) as count from idempotency_keys
                 where caller = $1 and operation = $2 and key = $3 and created_at >= $4",
                key.caller.as_str(),
                key.operation.as_str(),
                key.key.as_str(),
                since
            ))
            .await?;
        Ok(count > 0)
    }

    /// Claims a key for this transaction. Returns whether it was free, or used by a response from before `before`. A concurrent claim
    /// of the same key waits until this transaction ends.
    pub async fn claim(
        &mut self,
        key: &IdempotencyKey,
        now: Timestamp,
        before: Timestamp,
    ) -> Result<bool, Error> {
        let claimed = self
            .0
            .execute(sql!(
                "insert into idempotency_keys (caller, operation, key, body_hash, status, answer, created_at)
                 values ($1, $2, $3, $4, 0, '', $5)
                 on conflict (caller, operation, key) do update
                 set body_hash = excluded.body_hash, status = 0, location = null, version = null,
                     answer = '', person_id = null, created_at = excluded.created_at
                 where idempotency_keys.created_at < $6",
                key.caller.as_str(),
                key.operation.as_str(),
                key.key.as_str(),
                key.body_hash,
                now,
                before
            ))
            .await?;
        Ok(claimed > 0)
    }

    /// Stores the response under a key that this transaction has claimed, with the person whom it names.
    pub async fn store_response(
        &mut self,
        key: &IdempotencyKey,
        answer: &StoredResponse,
        names: Option<PersonId>,
    ) -> Result<(), Error> {
        self.0
            .execute(sql!(
                "update idempotency_keys set status = $4, location = $5, version = $6, answer = $7, person_id = $8
                 where caller = $1 and operation = $2 and key = $3",
                key.caller.as_str(),
                key.operation.as_str(),
                key.key.as_str(),
                i64::from(answer.status),
                answer.location.as_deref(),
                answer.version,
                answer.body.as_str(),
                names
            ))
            .await?;
        Ok(())
    }

    /// Erases every response that names this person. The keys stay, so that a repeat does not perform the write again.
    pub async fn erase_person(&mut self, person: PersonId) -> Result<u64, Error> {
        self.0
            .execute(sql!(
                "update idempotency_keys set status = $2, location = null, version = null, answer = ''
                 where person_id = $1",
                person,
                i64::from(ERASED)
            ))
            .await
    }

    /// Deletes responses from before `before`.
    pub async fn delete_before(&mut self, before: Timestamp) -> Result<u64, Error> {
        self.0.execute(sql!("delete from idempotency_keys where created_at < $1", before)).await
    }
}
