//! Tests of tags, at a kiosk or at a base station.

use domain::insights::IncursionFilter;
use domain::{
    BaseStationId, DeviceId, Page, PageRequest, Percent, PersonId, TagId, TagTest, TagTestId, Timestamp,
    WorksiteId, sorted,
};

use crate::engine::dialect::{BulkStatement, Rows};
use crate::engine::page::{self, Count};
use crate::engine::row::Id;
use crate::engine::statement::{Statement, sql};
use crate::{Error, Scope, Tx};

#[derive(Clone, Debug)]
pub struct NewTagTest {
    pub tag: TagId,
    /// The kiosk, if it was tested at one.
    pub device: Option<DeviceId>,
    /// The base station, if it was tested at one.
    pub base_station: Option<BaseStationId>,
    pub tested_at: Timestamp,
    pub passed: bool,
    pub battery: Option<Percent>,
}

/// Evidence, from a tag test, that a person was present.
#[derive(Clone, Debug, macros::FromRow)]
pub struct Sighting {
    #[row(column = "person_id")]
    pub person: PersonId,
    #[row(column = "tested_at")]
    pub at: Timestamp,
    /// The worksite of the kiosk and its time zone, if known.
    #[row(columns("worksite_id", "time_zone"))]
    pub site: Option<(WorksiteId, String)>,
}

const COLUMNS: &str =
    "select x.id, x.tag_id, t.serial, x.tester_device_id, x.base_station_id, x.person_id, p.name, p.kind, x.tested_at,
    x.passed, x.battery_percent, x.created_at, coalesce(x.updated_at, x.created_at) as updated_at
    from tag_tests x join tags t on t.id = x.tag_id left join people p on p.id = x.person_id";

const ADD: BulkStatement = BulkStatement {
    before: "insert into tag_tests (brand_id, tag_id, tester_device_id, base_station_id, tested_at, passed, battery_percent,
                 created_at, person_id)
             select v.column1, v.column2, v.column3, v.column4, v.column5, v.column6 <> 0, v.column7, v.column8, (
                 select a.person_id from tag_assignments a
                 where a.brand_id = v.column1 and a.tag_id = v.column2 and a.assigned_at <= v.column5
                 and (a.ended_at is null or a.ended_at > v.column5) order by a.id desc limit 1)
             from ",
    after: "where true",
};

/// The tests of a brand's tags.
pub struct TagTests<'a>(&'a mut Tx, &'a Scope);

impl Tx {
    pub fn tag_tests<'a>(&'a mut self, scope: &'a Scope) -> TagTests<'a> {
        TagTests(self, scope)
    }
}

#[macros::boxed]
impl TagTests<'_> {
    /// Adds a test and attributes it to the wearer of the tag at that time.
    pub async fn add(&mut self, new: &NewTagTest, now: Timestamp) -> Result<TagTest, Error> {
        let Id(id) = self
            .0
            .one::<Id<TagTestId>>(sql!(
                "insert into tag_tests (brand_id, tag_id, tester_device_id, tested_at, passed, battery_percent,
                     created_at, base_station_id)
                 values ($1, $2, $3, $4, $5, $6, $7, $8) returning id",
                self.1.brand(),
                new.tag,
                new.device,
                new.tested_at,
                new.passed,
                new.battery.map(Percent::get),
                now,
                new.base_station
            ))
            .await?;
        self.attribute(new.tag, new.tested_at, now).await?;
        self.0.one(sql!(COLUMNS).push_with(" where x.id = $?", [id.into()])).await
    }

    /// Adds tests and attributes each to the wearer of the tag at its time.
    pub async fn add_many(&mut self, all: &[NewTagTest], now: Timestamp) -> Result<(), Error> {
        let brand = self.1.brand();
        let rows = Rows::default()
            .column(all.iter().map(|_| brand))
            .column(all.iter().map(|test| test.tag))
            .column(all.iter().map(|test| test.device))
            .column(all.iter().map(|test| test.base_station))
            .column(all.iter().map(|test| test.tested_at))
            .column(all.iter().map(|test| i64::from(test.passed)))
            .column(all.iter().map(|test| test.battery.map(Percent::get)))
            .column(all.iter().map(|_| now));
        self.0.execute_bulk(ADD, rows).await?;
        Ok(())
    }

    /// Counts the tests made at these kiosks. All ids go into one statement, so there must not be thousands.
    pub async fn count_on(&mut self, devices: &[DeviceId]) -> Result<i64, Error> {
        let statement = sql!("select count(*) as count from tag_tests where brand_id = $1", self.1.brand())
            .and_in("tester_device_id", devices.iter().copied());
        let Count(count) = self.0.one(statement).await?;
        Ok(count)
    }

    /// Attributes the tests of a tag since a time again, by the current assignments.
    pub async fn attribute(&mut self, tag: TagId, from: Timestamp, now: Timestamp) -> Result<(), Error> {
        self.0
            .execute(sql!(
                "update tag_tests set updated_at = $4, person_id = (
                     select a.person_id from tag_assignments a
                     where a.brand_id = tag_tests.brand_id and a.tag_id = tag_tests.tag_id
                     and a.assigned_at <= tag_tests.tested_at
                     and (a.ended_at is null or a.ended_at > tag_tests.tested_at) order by a.id desc limit 1)
                 where brand_id = $1 and tag_id = $2 and tested_at >= $3 and person_id is distinct from (
                     select a.person_id from tag_assignments a
                     where a.brand_id = tag_tests.brand_id and a.tag_id = tag_tests.tag_id
                     and a.assigned_at <= tag_tests.tested_at
                     and (a.ended_at is null or a.ended_at > tag_tests.tested_at) order by a.id desc limit 1)",
                self.1.brand(),
                tag,
                from,
                now
            ))
            .await?;
        Ok(())
    }

    /// Returns one sighting for each test of a worn tag, at most `limit`. Of the filter, people, pedestrians, projects, worksites
    /// and tags apply; in a restricted scope, only kiosks at worksites of its projects count.
    pub async fn sightings(
        &mut self,
        filter: &IncursionFilter,
        (from, to): (Timestamp, Timestamp),
        limit: usize,
    ) -> Result<Vec<Sighting>, Error> {
        // The join starts with the tags, because the index has the tests of each tag in order of time.
        let mut statement = sql!(
            "select x.person_id, x.tested_at, w.id as worksite_id, w.time_zone from tags t
             join tag_tests x on x.brand_id = t.brand_id and x.tag_id = t.id
             left join tester_devices d on d.id = x.tester_device_id
             left join worksites w on w.id = d.worksite_id
             where t.brand_id = $1 and x.tested_at >= $2 and x.tested_at < $3 and x.person_id is not null",
            self.1.brand(),
            from,
            to
        )
        .and_in_projects(self.1.projects(), "w.project_id");
        for people in [&filter.people, &filter.pedestrians] {
            if !people.is_empty() {
                statement = statement.and_in("x.person_id", people.iter().copied());
            }
        }
        if !filter.projects.is_empty() {
            statement = statement.and_in("w.project_id", filter.projects.iter().copied());
        }
        if !filter.worksites.is_empty() {
            statement = statement.and_in("w.id", filter.worksites.iter().copied());
        }
        if !filter.tags.is_empty() {
            statement = statement.and_in("t.id", filter.tags.iter().copied());
        }
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        self.0.all(statement.push_with(" limit $?", [limit.into()])).await
    }

    /// Returns the results of tests of these tags in a period, and the last one of each tag before it, by tag and time: when each was
    /// tested and whether it passed. All ids go into one statement, so there must not be thousands.
    pub async fn results_of(
        &mut self,
        tags: &[TagId],
        (from, to): (Timestamp, Timestamp),
    ) -> Result<Vec<(TagId, Timestamp, bool)>, Error> {
        #[derive(macros::FromRow)]
        struct Tested(
            #[row(column = "tag_id")] TagId,
            #[row(column = "tested_at")] Timestamp,
            #[row(column = "passed")] bool,
        );
        let before = sql!(
            "select x.tag_id, x.tested_at, x.passed from tags t join tag_tests x on x.id = (
                 select y.id from tag_tests y where y.brand_id = t.brand_id and y.tag_id = t.id and y.tested_at < $2
                 order by y.tested_at desc, y.id desc limit 1)
             where t.brand_id = $1",
            self.1.brand(),
            from
        )
        .and_in("t.id", tags.iter().copied())
        .uncached();
        let within = sql!(
            "select x.tag_id, x.tested_at, x.passed from tag_tests x
             where x.brand_id = $1 and x.tested_at >= $2 and x.tested_at < $3",
            self.1.brand(),
            from,
            to
        )
        .and_in("x.tag_id", tags.iter().copied())
        .push(" order by x.tag_id, x.tested_at, x.id")
        .uncached();
        let mut found: Vec<Tested> = self.0.all(before).await?;
        found.extend(self.0.all::<Tested>(within).await?);
        // Stable, so that those of the same instant stay in the order of their ids.
        sorted::sort_by_key(&mut found, |Tested(tag, at, _)| (*tag, *at));
        Ok(found.into_iter().map(|Tested(tag, at, passed)| (tag, at, passed)).collect())
    }

    /// Returns the time of a tag's latest test.
    pub async fn last_of(&mut self, tag: TagId) -> Result<Option<Timestamp>, Error> {
        #[derive(macros::FromRow)]
        struct Last(#[row(column = "tested_at")] Timestamp);
        let last: Option<Last> = self
            .0
            .optional(sql!(
                "select tested_at from tag_tests where brand_id = $1 and tag_id = $2
                 order by tested_at desc, id desc limit 1",
                self.1.brand(),
                tag
            ))
            .await?;
        Ok(last.map(|Last(at)| at))
    }

    /// Returns a page of a tag's tests, latest first.
    pub async fn page(&mut self, tag: TagId, page: &PageRequest) -> Result<Page<TagTest>, Error> {
        let list = format!("tag_tests {tag}");
        let statement = self.of_tag(sql!(COLUMNS), tag);
        let order = (" and (x.tested_at, x.id) < ($?, $?)", " order by x.tested_at desc, x.id desc");
        let rows: Vec<TagTest> = self.0.all(page::order_by_time_desc(statement, order, &list, page)?).await?;
        let key = |test: &TagTest| (test.tested_at.micros().to_string(), test.id.0);
        Ok(page::into_page_by(rows, &list, page, key))
    }

    pub async fn count(&mut self, tag: TagId) -> Result<i64, Error> {
        let statement = self.of_tag(sql!("select count(*) as count from tag_tests x"), tag);
        let Count(count) = self.0.one(statement).await?;
        Ok(count)
    }

    fn of_tag(&self, statement: Statement, tag: TagId) -> Statement {
        statement.push_with(" where x.brand_id = $? and x.tag_id = $?", [self.1.brand().into(), tag.into()])
    }
}
