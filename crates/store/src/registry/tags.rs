//! Tags that people wear.

use domain::{Percent, Serial, SortedMap, Tag, TagId, TagRole, Timestamp};

use crate::engine::dialect::{BulkStatement, Rows};
use crate::engine::statement::{Statement, sql};
use crate::{Error, Scope, Tx};

macro_rules! columns {
    ($before:literal, $after:literal) => {
        concat!(
            $before,
            " id, serial, role, battery_percent, last_seen_at, version, created_at, updated_at, retired_at ",
            $after
        )
    };
}

const COLUMNS: &str = columns!("select", "from tags");

const UPDATE_LAST_SEEN: BulkStatement = BulkStatement {
    before: "update tags set last_seen_at = v.column2 from ",
    after: "where tags.id = v.column1 and tags.brand_id = v.column3
            and (tags.last_seen_at is null or tags.last_seen_at < v.column2)",
};

const UPDATE_BATTERY: BulkStatement = BulkStatement {
    before: "update tags set battery_percent = v.column2, battery_at = v.column3 from ",
    after: "where tags.id = v.column1 and tags.brand_id = v.column4
            and (tags.battery_at is null or tags.battery_at <= v.column3)",
};

/// The tags of a brand; visible across its projects.
pub struct Tags<'a>(&'a mut Tx, &'a Scope);

impl Tx {
    pub fn tags<'a>(&'a mut self, scope: &'a Scope) -> Tags<'a> {
        Tags(self, scope)
    }
}

#[macros::boxed]
impl Tags<'_> {
    /// Adds a tag; fails with [`Error::Duplicate`] if the serial is taken.
    pub async fn add(&mut self, serial: &Serial, role: TagRole, now: Timestamp) -> Result<Tag, Error> {
        let text = columns!(
            "insert into tags (brand_id, serial, serial_key, role, version, created_at, updated_at, registry_version)
             values ($1, $2, $3, $4, 1, $5, $5,
                 (select registry_version from brand_counters where brand_id = $1)) returning",
            ""
        );
        self.0.one(sql!(text, self.1.brand(), serial.as_str(), serial.key(), role.as_str(), now)).await
    }

    /// Finds the tag with that serial or registers it, and locks its row until the end of the transaction. The tag is marked as changed,
    /// in the same statement, because all writers of a brand wait for one another: whoever calls this tests the tag or hands it out, and
    /// lists of tags show both.
    pub async fn ensure(&mut self, serial: &Serial, now: Timestamp) -> Result<Tag, Error> {
        let text = columns!(
            "insert into tags (brand_id, serial, serial_key, role, version, created_at, updated_at, registry_version)
             values ($1, $2, $3, 'pedestrian', 1, $4, $4,
                 (select registry_version from brand_counters where brand_id = $1))
             on conflict (brand_id, serial_key) do update set registry_version = excluded.registry_version returning",
            ""
        );
        self.0.one(sql!(text, self.1.brand(), serial.as_str(), serial.key(), now)).await
    }

    pub async fn find(&mut self, id: TagId) -> Result<Option<Tag>, Error> {
        let statement = self.of_id(id);
        self.0.optional(statement).await
    }

    /// Finds a tag and locks its row until the end of the transaction.
    pub async fn find_locked(&mut self, id: TagId) -> Result<Option<Tag>, Error> {
        let lock = self.0.row_lock();
        let statement = self.of_id(id).push(lock);
        self.0.optional(statement).await
    }

    /// Finds a tag that is about to be handed out, marks it as changed, because lists of tags show who wears it, and locks its row until
    /// the end of the transaction.
    pub async fn find_and_mark(&mut self, id: TagId) -> Result<Option<Tag>, Error> {
        let text = columns!(
            "update tags set registry_version = (select registry_version from brand_counters where brand_id = $1)
             where brand_id = $1 and id = $2 returning",
            ""
        );
        self.0.optional(sql!(text, self.1.brand(), id)).await
    }

    fn of_id(&self, id: TagId) -> Statement {
        sql!(COLUMNS).push_with(" where brand_id = $? and id = $?", [self.1.brand().into(), id.into()])
    }

    /// Changes a tag that was found in this transaction.
    pub async fn change(
        &mut self,
        id: TagId,
        role: TagRole,
        retired_at: Option<Timestamp>,
        now: Timestamp,
    ) -> Result<Tag, Error> {
        let text = columns!(
            "update tags set role = $3, retired_at = $4, updated_at = $5, version = version + 1,
                 registry_version = (select registry_version from brand_counters where brand_id = $1)
             where brand_id = $1 and id = $2 returning",
            ""
        );
        self.0.one(sql!(text, self.1.brand(), id, role.as_str(), retired_at, now)).await
    }

    /// Records when tags were last seen; earlier times than the known ones are ignored. Versions do not rise, because they only
    /// follow changes that people make.
    pub async fn record_last_seen(&mut self, all: &SortedMap<TagId, Timestamp>) -> Result<(), Error> {
        let brand = self.1.brand();
        let rows = Rows::default()
            .column(all.keys().copied())
            .column(all.values().copied())
            .column(all.keys().map(|_| brand));
        self.0.execute_bulk(UPDATE_LAST_SEEN, rows).await?;
        Ok(())
    }

    /// Records battery levels; levels older than the known ones are ignored.
    pub async fn record_batteries(
        &mut self,
        all: &SortedMap<TagId, (Percent, Timestamp)>,
    ) -> Result<(), Error> {
        let brand = self.1.brand();
        let rows = Rows::default()
            .column(all.keys().copied())
            .column(all.values().map(|(percent, _)| percent.get()))
            .column(all.values().map(|(_, at)| *at))
            .column(all.keys().map(|_| brand));
        self.0.execute_bulk(UPDATE_BATTERY, rows).await?;
        Ok(())
    }

    /// Records that a tag was seen, with its battery level if known. The version rises.
    pub async fn record_contact(
        &mut self,
        id: TagId,
        seen_at: Timestamp,
        battery: Option<Percent>,
        now: Timestamp,
    ) -> Result<(), Error> {
        self.0
            .execute(sql!(
                "update tags set battery_percent = coalesce($3, battery_percent),
                     battery_at = case when $3 is null then battery_at else $4 end,
                     last_seen_at = case when last_seen_at > $4 then last_seen_at else $4 end,
                     updated_at = $5, version = version + 1,
                     registry_version = (select registry_version from brand_counters where brand_id = $1)
                 where brand_id = $1 and id = $2",
                self.1.brand(),
                id,
                battery.map(Percent::get),
                seen_at,
                now
            ))
            .await?;
        Ok(())
    }
}
