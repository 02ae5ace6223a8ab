//! Tests of tags at a kiosk.

use domain::{DeviceId, Percent, PersonId, TagId, TestId, Timestamp};

use crate::row::{FromRow, Row};
use crate::statement::sql;
use crate::{Error, Scope, Tx};

/// A test of a tag.
#[derive(Clone, Debug)]
pub struct TagTest {
    /// Its id.
    pub id: TestId,
    /// Who wore the tag at the time.
    pub person: Option<PersonId>,
    /// When it was.
    pub tested_at: Timestamp,
    /// Whether the tag did what it should.
    pub passed: bool,
    /// What its battery held.
    pub battery_percent: Option<i64>,
    /// When it was added.
    pub created_at: Timestamp,
}

/// What a test is made of.
#[derive(Clone, Debug)]
pub struct NewTagTest {
    /// The tag.
    pub tag: TagId,
    /// The device it was tested on.
    pub device: DeviceId,
    /// When it was.
    pub tested_at: Timestamp,
    /// Whether the tag did what it should.
    pub passed: bool,
    /// What its battery held.
    pub battery: Option<Percent>,
}

impl FromRow for TagTest {
    fn from_row(row: &Row) -> Result<Self, Error> {
        Ok(Self {
            id: row.get("id")?,
            person: row.get("person_id")?,
            tested_at: row.get("tested_at")?,
            passed: row.get("passed")?,
            battery_percent: row.get("battery_percent")?,
            created_at: row.get("created_at")?,
        })
    }
}

/// The tests of a brand's tags.
pub struct TagTests<'a>(&'a mut Tx, &'a Scope);

impl Tx {
    /// The tests of a brand's tags.
    pub fn tag_tests<'a>(&'a mut self, scope: &'a Scope) -> TagTests<'a> {
        TagTests(self, scope)
    }
}

impl TagTests<'_> {
    /// Adds one. The person is who wore the tag at the time of the test.
    pub async fn add(&mut self, new: &NewTagTest, now: Timestamp) -> Result<TagTest, Error> {
        self.0
            .one(sql!(
                "insert into tag_tests (brand_id, tag_id, tester_device_id, person_id, tested_at, passed,
                     battery_percent, created_at)
                 values ($1, $2, $3,
                     (select person_id from tag_assignments where brand_id = $1 and tag_id = $2
                      and assigned_at <= $4 and (ended_at is null or ended_at > $4) order by id desc limit 1),
                     $4, $5, $6, $7)
                 returning id, person_id, tested_at, passed, battery_percent, created_at",
                self.1.brand(),
                new.tag,
                new.device,
                new.tested_at,
                new.passed,
                new.battery.map(Percent::get),
                now
            ))
            .await
    }

    /// The latest of a tag.
    pub async fn last_of(&mut self, tag: TagId) -> Result<Option<TagTest>, Error> {
        self.0
            .optional(sql!(
                "select id, person_id, tested_at, passed, battery_percent, created_at from tag_tests
                 where brand_id = $1 and tag_id = $2 order by tested_at desc, id desc limit 1",
                self.1.brand(),
                tag
            ))
            .await
    }
}
