//! Whether what stands on something stands on another thing already.

use crate::engine::page::Count;
use crate::engine::statement::sql;
use crate::{Error, Scope, Tx};

/// What has a serial of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SerialOwner {
    /// Tags.
    Tag,
    /// Machines, by what their makers call them.
    Machine,
    /// Base stations.
    BaseStation,
}

impl Tx {
    /// Whether one of the brand has that serial, by its folded key. Asked before adding where a refusal by the engine would
    /// end the whole transaction.
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
