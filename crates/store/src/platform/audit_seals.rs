//! The chain of hashes that proves the audit log: its seals, its ends, and what its verification reads.

use domain::{AuditId, AuditRow};

use crate::engine::page::Count;
use crate::engine::row::Id;
use crate::engine::statement::sql;
use crate::{Error, Platform, Tx};

/// A link of the hash chain.
#[derive(Clone, Debug, macros::FromRow)]
pub struct Seal {
    /// Position in the chain, counted from 1.
    pub position: i64,
    /// The row that it seals.
    #[row(column = "audit_id")]
    pub audit: AuditId,
    /// The hash up to and including this row.
    pub hash: Vec<u8>,
    /// The epoch whose key it is made with; 0 without a key.
    pub epoch: i64,
}

/// The recorded end of a chain.
#[derive(Clone, Debug, macros::FromRow)]
pub struct ChainState {
    /// The brand's id, or 0 for the installation.
    pub chain: i64,
    /// Number of sealed rows.
    pub position: i64,
    /// The last hash.
    pub head: Vec<u8>,
    /// Authenticates this end; none if no key was in use.
    pub mac: Option<Vec<u8>>,
}

/// A chain as the verification finds it.
#[derive(Clone, Debug, macros::FromRow)]
pub struct RecordedChain {
    /// The brand's id, or 0 for the installation.
    pub chain: i64,
    /// Number of sealed rows according to the recorded end.
    pub position: i64,
    /// The last hash, or none if the chain has no recorded end.
    pub head: Option<Vec<u8>>,
    /// Authenticates this end; none if no key was in use.
    pub mac: Option<Vec<u8>>,
}

const COLUMNS: &str = "select a.id, a.brand_id, a.at, a.actor_kind, a.actor_id, a.action, a.target_kind,
    a.target_id, a.details, a.personal_hash, x.text as personal_text, a.address, a.request_id
    from audit_log a left join audit_texts x on x.audit_id = a.id";

/// The whole audit log, with one chain per brand and one for the installation.
pub struct Audits<'a>(&'a mut Tx);

impl Tx {
    /// The whole audit log, for sealing and verification.
    pub fn audits(&mut self, _: &Platform) -> Audits<'_> {
        Audits(self)
    }
}

#[macros::boxed]
impl Audits<'_> {
    /// Returns up to `limit` rows without a seal, oldest first.
    pub async fn unsealed(&mut self, limit: i64) -> Result<Vec<AuditRow>, Error> {
        self.0
            .all(sql!(COLUMNS).push_with(
                " join audit_unsealed n on n.audit_id = a.id order by a.id limit $?",
                [limit.into()],
            ))
            .await
    }

    /// Returns the end of a chain, locked until the end of the transaction so that no other transaction appends to it.
    pub async fn chain_locked(&mut self, chain: i64) -> Result<ChainState, Error> {
        self.0
            .one(sql!(
                "insert into audit_chains (chain, position, head) values ($1, 0, $2)
                 on conflict (chain) do update set chain = excluded.chain returning chain, position, head, mac",
                chain,
                [0; 32]
            ))
            .await
    }

    /// Appends a seal; `mac` authenticates the new end of the chain.
    pub async fn seal(&mut self, chain: i64, seal: &Seal, mac: Option<&[u8]>) -> Result<(), Error> {
        self.0
            .execute(sql!(
                "insert into audit_seals (chain, position, audit_id, hash, epoch) values ($1, $2, $3, $4, $5)",
                chain,
                seal.position,
                seal.audit,
                seal.hash.clone(),
                seal.epoch
            ))
            .await?;
        self.0.execute(sql!("delete from audit_unsealed where audit_id = $1", seal.audit)).await?;
        self.0
            .execute(sql!(
                "update audit_chains set position = $2, head = $3, mac = $4 where chain = $1",
                chain,
                seal.position,
                seal.hash.clone(),
                mac
            ))
            .await?;
        Ok(())
    }

    /// Authenticates the current end of a chain.
    pub async fn set_end_mac(&mut self, chain: i64, mac: &[u8]) -> Result<(), Error> {
        self.0.execute(sql!("update audit_chains set mac = $2 where chain = $1", chain, mac)).await?;
        Ok(())
    }

    /// Lists the recorded ends of all chains.
    pub async fn ends(&mut self) -> Result<Vec<ChainState>, Error> {
        self.0.all(sql!("select chain, position, head, mac from audit_chains order by chain")).await
    }

    /// Lists every chain that has a seal, a mark or a recorded end.
    pub async fn chains(&mut self) -> Result<Vec<RecordedChain>, Error> {
        self.0
            .all(sql!(
                "select a.chain, coalesce(c.position, 0) as position, c.head, c.mac
                 from (select chain from audit_chains union select chain from audit_seals
                     union select chain from audit_marks) a
                 left join audit_chains c on c.chain = a.chain order by a.chain"
            ))
            .await
    }

    /// Returns up to `limit` seals of a chain after a position.
    pub async fn seals(&mut self, chain: i64, after: i64, limit: i64) -> Result<Vec<Seal>, Error> {
        self.0
            .all(sql!(
                "select position, audit_id, hash, epoch from audit_seals
                 where chain = $1 and position > $2 order by position limit $3",
                chain,
                after,
                limit
            ))
            .await
    }

    /// Returns the rows of those seals, by id.
    pub async fn sealed_rows(&mut self, chain: i64, after: i64, limit: i64) -> Result<Vec<AuditRow>, Error> {
        self.0
            .all(sql!(COLUMNS).push_with(
                " join (select audit_id from audit_seals where chain = $? and position > $?
                  order by position limit $?) s on s.audit_id = a.id order by a.id",
                [chain.into(), after.into(), limit.into()],
            ))
            .await
    }

    /// Returns up to `limit` rows whose personal text is missing although its person was not erased. An erasure is itself a row of the
    /// log, after the rows that it explains.
    pub async fn missing_texts(&mut self, limit: i64) -> Result<Vec<AuditId>, Error> {
        let rows: Vec<Id<AuditId>> = self
            .0
            .all(sql!(
                "select a.id from audit_log a
                 left join visitor_sessions v
                     on a.target_kind = 'visitor_session' and v.id = a.target_id and v.brand_id = a.brand_id
                 left join notes n
                     on a.target_kind = 'note' and n.id = a.target_id and n.brand_id = a.brand_id
                     and n.entity_type = 'person'
                 where a.personal_hash is not null
                 and not exists (select 1 from audit_texts x where x.audit_id = a.id)
                 and not exists (
                     select 1 from audit_log e
                     where e.brand_id = a.brand_id and e.target_kind = 'person' and e.action = 'person.erased'
                     and e.id > a.id
                     and e.target_id = case a.target_kind
                         when 'person' then a.target_id
                         when 'visitor_session' then v.person_id
                         when 'note' then n.entity_id end)
                 order by a.id limit $1",
                limit
            ))
            .await?;
        Ok(rows.into_iter().map(|Id(id)| id).collect())
    }

    /// Counts rows with neither a seal nor an entry in the sealing queue. There are none unless someone has tampered with the log.
    pub async fn count_orphans(&mut self) -> Result<i64, Error> {
        let Count(count) = self
            .0
            .one(sql!(
                "select count(*) as count from audit_log a
                 where not exists (select 1 from audit_seals s where s.audit_id = a.id)
                 and not exists (select 1 from audit_unsealed n where n.audit_id = a.id)"
            ))
            .await?;
        Ok(count)
    }
}
