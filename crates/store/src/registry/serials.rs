//! Checks whether a serial is already taken.

use crate::engine::page::Count;
use crate::engine::statement::sql;
use crate::{Error, Scope, Tx};

/// A kind of record with a unique serial.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SerialOwner {
    Tag,
    /// By the manufacturer's serial number.
    Machine,
    BaseStation,
}

#[macros::boxed]
impl Tx {
    /// Returns whether a record of the brand has that serial, given as its case-folded key. Used before inserts where a violated
    /// constraint would abort the whole transaction.
    pub async fn serial_is_taken(
        &mut self,
        scope: &Scope,
        of: SerialOwner,
        key: &str,
    ) -> Result<bool, Error> {
        let text = match of {
            SerialOwner::Tag => "select count(*) as count from tags where brand_id = $1 and serial_key = $2",
            SerialOwner::Machine => {
                "select count(*) as count from machines where brand_id = $1 and serial_key = $2"
            }
            SerialOwner::BaseStation => {
                "select count(*) as count from base_stations where brand_id = $1 and serial_key = $2"
            }
        };
        let Count(count) = self.one(sql!(text, scope.brand(), key)).await?;
        Ok(count > 0)
    }
}
