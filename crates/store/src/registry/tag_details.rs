//! Tags with their wearer and last test, as desks and kiosks show them.

use domain::{
    LastTest, Page, PageRequest, PersonId, Serial, TagDetails, TagFilter, TagFlag, TagId, TagState,
    TagThresholds, Timestamp,
};

use crate::engine::page::{self, Count, Keyed};
use crate::engine::row::{FromColumns, Row};
use crate::engine::statement::{Statement, sql};
use crate::{Error, Scope, Tx};

/// The people whose tags are left out of a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ExcludedWearers {
    #[default]
    Nobody,
    These(Vec<PersonId>),
    /// Leaves out all tags that are worn.
    Everyone,
}

macro_rules! select_tags {
    ($select:literal) => {
        concat!(
            $select,
            " from tags t
              left join tag_assignments a on a.tag_id = t.id and a.ended_at is null
              left join people p on p.id = a.person_id
              left join tag_tests x on x.id = (select y.id from tag_tests y where y.brand_id = t.brand_id
                  and y.tag_id = t.id order by y.tested_at desc, y.id desc limit 1)"
        )
    };
}

const COLUMNS: &str = select_tags!(
    "select t.id, t.serial, t.serial_key, t.role, t.battery_percent, t.last_seen_at, t.version, t.created_at,
         t.updated_at, t.retired_at, a.person_id, p.name as person_name, p.kind as person_kind, x.tested_at, x.passed"
);

/// None if the tag has not been tested.
impl FromColumns<2> for Option<LastTest> {
    fn from_columns(row: &Row, columns: [&'static str; 2]) -> Result<Self, Error> {
        let test: Option<(Timestamp, bool)> = row.get_columns(columns)?;
        Ok(test.map(|(tested_at, passed)| LastTest { tested_at, passed }))
    }
}

impl Keyed for TagDetails {
    fn key(&self) -> (&str, i64) {
        (&self.serial_key, self.tag.id.0)
    }
}

/// The tags of a brand with their details; visible across its projects.
pub struct TagsInDetail<'a>(&'a mut Tx, &'a Scope);

impl Tx {
    pub fn tags_in_detail<'a>(&'a mut self, scope: &'a Scope) -> TagsInDetail<'a> {
        TagsInDetail(self, scope)
    }
}

#[macros::boxed]
impl TagsInDetail<'_> {
    pub async fn find(&mut self, id: TagId) -> Result<Option<TagDetails>, Error> {
        self.0
            .optional(
                sql!(COLUMNS)
                    .push_with(" where t.brand_id = $? and t.id = $?", [self.1.brand().into(), id.into()]),
            )
            .await
    }

    pub async fn by_serial(&mut self, serial: &Serial) -> Result<Option<TagDetails>, Error> {
        self.0
            .optional(sql!(COLUMNS).push_with(
                " where t.brand_id = $? and t.serial_key = $?",
                [self.1.brand().into(), serial.key().into()],
            ))
            .await
    }

    /// Returns a page, by serial. Flags are computed for the time of the thresholds.
    pub async fn page(
        &mut self,
        filter: &TagFilter,
        excluded_wearers: &ExcludedWearers,
        limits: &TagThresholds,
        page: &PageRequest,
    ) -> Result<Page<TagDetails>, Error> {
        let list = format!("tags {filter:?}");
        let statement = self.filtered(sql!(COLUMNS), filter, excluded_wearers, limits);
        let order = (" and (t.serial_key, t.id) > ($?, $?)", " order by t.serial_key, t.id");
        let rows = self.0.all(page::order_by_key(statement, order, &list, page)?).await?;
        Ok(page::into_page(rows, &list, page))
    }

    /// Counts the tags that match the filter.
    pub async fn count(
        &mut self,
        filter: &TagFilter,
        excluded_wearers: &ExcludedWearers,
        limits: &TagThresholds,
    ) -> Result<i64, Error> {
        let statement =
            self.filtered(sql!(select_tags!("select count(*) as count")), filter, excluded_wearers, limits);
        let Count(count) = self.0.one(statement).await?;
        Ok(count)
    }

    fn filtered(
        &self,
        statement: Statement,
        filter: &TagFilter,
        excluded_wearers: &ExcludedWearers,
        limits: &TagThresholds,
    ) -> Statement {
        let mut statement = statement.push_with(" where t.brand_id = $?", [self.1.brand().into()]);
        if let Some(q) = &filter.q {
            statement =
                statement.push_with(" and t.serial_key like $? escape '!'", [page::like_pattern(q).into()]);
        }
        if let Some(role) = filter.role {
            statement = statement.push_with(" and t.role = $?", [role.as_str().into()]);
        }
        if let Some(person) = filter.person {
            statement = statement.push_with(" and a.person_id = $?", [person.into()]);
        }
        if let Some(state) = filter.state {
            statement = statement.push(match state {
                TagState::Retired => " and t.retired_at is not null",
                TagState::Assigned => " and t.retired_at is null and a.id is not null",
                TagState::Stock => " and t.retired_at is null and a.id is null",
            });
        }
        statement = match excluded_wearers {
            ExcludedWearers::Nobody => statement,
            ExcludedWearers::These(people) => {
                statement.and_not_in("a.person_id", people.iter().map(|person| person.0))
            }
            ExcludedWearers::Everyone => statement.push(" and a.person_id is null"),
        };
        match filter.flag {
            Some(flag) => flagged(statement.push(" and t.retired_at is null"), flag, limits),
            None => statement,
        }
    }
}

/// Appends the condition on a flag: the rule of [`TagThresholds::has_flag`] in SQL. A test compares the two.
fn flagged(statement: Statement, flag: TagFlag, limits: &TagThresholds) -> Statement {
    match flag {
        TagFlag::TestOverdue => statement.push_with(" and x.tested_at <= $?", [limits.overdue_cutoff.into()]),
        TagFlag::TestDue => statement.push_with(
            " and x.tested_at > $? and x.tested_at <= $?",
            [limits.overdue_cutoff.into(), limits.due_cutoff.into()],
        ),
        TagFlag::NeverTested => statement.push(" and x.id is null"),
        TagFlag::LowBattery => statement.push_with(
            " and t.battery_percent <= $? and t.battery_percent > $?",
            [limits.low_battery_percent.into(), limits.critical_battery_percent.into()],
        ),
        TagFlag::CriticalBattery => {
            statement.push_with(" and t.battery_percent <= $?", [limits.critical_battery_percent.into()])
        }
        TagFlag::Silent => statement.push_with(" and t.last_seen_at <= $?", [limits.silence_cutoff.into()]),
    }
}
