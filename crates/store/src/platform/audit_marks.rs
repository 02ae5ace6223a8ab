//! The state of the audit chains at the beginning of each epoch of the installation's keys.

use crate::engine::statement::sql;
use crate::{Error, Platform, Tx};

/// The state of a chain at the beginning of an epoch.
#[derive(Clone, Debug, macros::FromRow)]
pub struct AuditMark {
    /// The brand's id, or 0 for the installation.
    pub chain: i64,
    /// The epoch that began.
    pub epoch: i64,
    /// Number of seals in the chain.
    pub position: i64,
    /// Hash of the last seal.
    pub head: Vec<u8>,
    /// Whether the keys of earlier epochs are lost.
    pub key_lost: bool,
    /// Authenticates the other fields with the key of the epoch.
    pub mac: Vec<u8>,
}

/// The marks of all chains.
pub struct AuditMarks<'a>(&'a mut Tx);

impl Tx {
    pub fn audit_marks(&mut self, _: &Platform) -> AuditMarks<'_> {
        AuditMarks(self)
    }
}

#[macros::boxed]
impl AuditMarks<'_> {
    pub async fn add(&mut self, mark: &AuditMark) -> Result<(), Error> {
        self.0
            .execute(sql!(
                "insert into audit_marks (chain, epoch, position, head, key_lost, mac)
                 values ($1, $2, $3, $4, $5, $6)",
                mark.chain,
                mark.epoch,
                mark.position,
                mark.head.clone(),
                mark.key_lost,
                mark.mac.clone()
            ))
            .await?;
        Ok(())
    }

    /// Lists the marks of a chain, oldest epoch first.
    pub async fn of_chain(&mut self, chain: i64) -> Result<Vec<AuditMark>, Error> {
        self.0
            .all(sql!(
                "select chain, epoch, position, head, key_lost, mac from audit_marks
                 where chain = $1 order by epoch",
                chain
            ))
            .await
    }
}
