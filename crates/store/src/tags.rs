//! Tags that people wear.

use domain::{Percent, Serial, TagId, TagRole, Timestamp};

use crate::row::{FromRow, Row};
use crate::statement::sql;
use crate::{Error, Scope, Tx};

/// A tag.
#[derive(Clone, Debug)]
pub struct Tag {
    /// Its id.
    pub id: TagId,
    /// What stands on it.
    pub serial: String,
    /// Whom it is meant for.
    pub role: TagRole,
    /// What its battery last held.
    pub battery_percent: Option<i64>,
    /// When it was added.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
    /// When it was taken out of use.
    pub retired_at: Option<Timestamp>,
}

const COLUMNS: &str =
    "select id, serial, role, battery_percent, created_at, updated_at, retired_at from tags";

impl FromRow for Tag {
    fn from_row(row: &Row) -> Result<Self, Error> {
        Ok(Self {
            id: row.get("id")?,
            serial: row.get("serial")?,
            role: row.word("role", TagRole::parse)?,
            battery_percent: row.get("battery_percent")?,
            created_at: row.get("created_at")?,
            updated_at: row.get("updated_at")?,
            retired_at: row.get("retired_at")?,
        })
    }
}

/// The tags of a brand; readable across its projects.
pub struct Tags<'a>(&'a mut Tx, &'a Scope);

impl Tx {
    /// The tags of a brand.
    pub fn tags<'a>(&'a mut self, scope: &'a Scope) -> Tags<'a> {
        Tags(self, scope)
    }
}

impl Tags<'_> {
    /// The tag with that serial, registered if it was unknown, and locked to the end of the transaction.
    pub async fn ensure(&mut self, serial: &Serial, now: Timestamp) -> Result<Tag, Error> {
        // The update that changes nothing takes the lock and gives the row back on both engines.
        self.0
            .one(sql!(
                "insert into tags (brand_id, serial, serial_key, role, version, created_at, updated_at)
                 values ($1, $2, $3, 'pedestrian', 1, $4, $4)
                 on conflict (brand_id, serial_key) do update set serial_key = excluded.serial_key
                 returning id, serial, role, battery_percent, created_at, updated_at, retired_at",
                self.1.brand(),
                serial.as_str(),
                serial.key(),
                now
            ))
            .await
    }

    /// The one of that id, locked to the end of the transaction.
    pub async fn find_locked(&mut self, id: TagId) -> Result<Option<Tag>, Error> {
        let lock = self.0.row_lock();
        self.0
            .optional(
                sql!(COLUMNS)
                    .push_with(" where brand_id = $? and id = $?", [self.1.brand().into(), id.into()])
                    .push(lock),
            )
            .await
    }

    /// The one with that serial.
    pub async fn by_serial(&mut self, serial: &Serial) -> Result<Option<Tag>, Error> {
        self.0
            .optional(sql!(COLUMNS).push_with(
                " where brand_id = $? and serial_key = $?",
                [self.1.brand().into(), serial.key().into()],
            ))
            .await
    }

    /// Remembers what its battery holds.
    pub async fn set_battery(&mut self, id: TagId, battery: Percent, now: Timestamp) -> Result<(), Error> {
        self.0
            .execute(sql!(
                "update tags set battery_percent = $3, updated_at = $4, version = version + 1
                 where brand_id = $1 and id = $2",
                self.1.brand(),
                id,
                battery.get(),
                now
            ))
            .await?;
        Ok(())
    }
}
