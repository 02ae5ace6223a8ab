//! Tags with their wearer and last test, as desks and kiosks show them.

use domain::{
    Direction, LastTest, PersonId, RegistryRows, Serial, Slice, SortKey, Sorting, TagDetails, TagFilter,
    TagFlag, TagId, TagState, TagThresholds, Timestamp, VersionRange, Window,
};

use crate::engine::page::{self, Count};
use crate::engine::row::{FromColumns, Row};
use crate::engine::statement::{Statement, sql};
use crate::engine::window::{self, SortColumns, Sorted};
use crate::registry::listing;
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
         t.updated_at, t.retired_at, t.registry_version, a.person_id, p.name as person_name, p.kind as person_kind, x.tested_at, x.passed"
);

/// None if the tag has not been tested.
impl FromColumns<2> for Option<LastTest> {
    fn from_columns(row: &Row, columns: [&'static str; 2]) -> Result<Self, Error> {
        let test: Option<(Timestamp, bool)> = row.get_columns(columns)?;
        Ok(test.map(|(tested_at, passed)| LastTest { tested_at, passed }))
    }
}

const SORT_COLUMNS: SortColumns = SortColumns {
    id: "t.id",
    name_key: "t.serial_key",
    created_at: "t.created_at",
    updated_at: "t.updated_at",
    started_at: "t.created_at",
    registry_version: "t.registry_version",
};

impl Sorted for TagDetails {
    fn id(&self) -> i64 {
        self.tag.id.0
    }

    fn name_key(&self) -> &str {
        &self.serial_key
    }

    fn created_at(&self) -> Timestamp {
        self.tag.created_at
    }

    fn updated_at(&self) -> Timestamp {
        self.tag.updated_at
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

    /// Finds tags by id, retired or not, sorted by id.
    pub async fn among(&mut self, ids: &[TagId]) -> Result<Vec<TagDetails>, Error> {
        let statement = sql!(COLUMNS)
            .push_with(" where t.brand_id = $?", [self.1.brand().into()])
            .and_in_padded("t.id", ids.iter().copied())
            .push(" order by t.id");
        self.0.all(statement).await
    }

    /// Returns the tags that these people wear now, sorted by serial.
    pub async fn worn_by(&mut self, people: &[PersonId], limit: i64) -> Result<Vec<TagDetails>, Error> {
        let statement = sql!(COLUMNS)
            .push_with(" where t.brand_id = $?", [self.1.brand().into()])
            .and_in("a.person_id", people.iter().copied())
            .push_with(" order by t.serial_key, t.id limit $?", [limit.into()]);
        self.0.all(statement.uncached()).await
    }

    pub async fn by_serial(&mut self, serial: &Serial) -> Result<Option<TagDetails>, Error> {
        self.0
            .optional(sql!(COLUMNS).push_with(
                " where t.brand_id = $? and t.serial_key = $?",
                [self.1.brand().into(), serial.key().into()],
            ))
            .await
    }

    /// Returns a window of the list, in any order and from either end. Flags are computed for the time of the thresholds.
    pub async fn slice(
        &mut self,
        filter: &TagFilter,
        excluded_wearers: &ExcludedWearers,
        limits: &TagThresholds,
        sorting: Sorting,
        window: &Window,
    ) -> Result<Slice<TagDetails>, Error> {
        let list = format!("tags {filter:?} {sorting:?}");
        let statement = self.filtered(sql!(COLUMNS), filter, excluded_wearers, limits);
        let rows =
            self.0.all(window::apply_window(statement, &SORT_COLUMNS, sorting, &list, window)?).await?;
        Ok(window::into_registry_slice(rows, sorting, &list, window))
    }

    /// Returns the query plan of a page of changes, for tests of indexes.
    pub async fn explain_changes(
        &mut self,
        limits: &TagThresholds,
        window: &Window,
    ) -> Result<Vec<String>, Error> {
        let range = VersionRange { after: 1, up_to: i64::MAX };
        let rows = RegistryRows { ids: None, changed: Some(range) };
        let filter = TagFilter { rows, ..TagFilter::default() };
        let sorting = Sorting::by(SortKey::RegistryVersion, Direction::Ascending);
        self.explain_slice(&filter, limits, sorting, window).await
    }

    /// Returns the query plan of a window of the list, for tests of indexes.
    pub async fn explain_slice(
        &mut self,
        filter: &TagFilter,
        limits: &TagThresholds,
        sorting: Sorting,
        window: &Window,
    ) -> Result<Vec<String>, Error> {
        let statement = self.filtered(sql!(COLUMNS), filter, &ExcludedWearers::Nobody, limits);
        self.0.explain(window::apply_window(statement, &SORT_COLUMNS, sorting, "", window)?).await
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
        let statement = statement.push_with(" where t.brand_id = $?", [self.1.brand().into()]);
        let mut statement = listing::and_rows(statement, &filter.rows, &SORT_COLUMNS);
        if let Some(q) = &filter.q {
            statement =
                statement.push_with(" and t.serial_key like $? escape '!'", [page::like_pattern(q).into()]);
        }
        if !filter.roles.is_empty() {
            statement = statement.and_in("t.role", filter.roles.iter().map(|role| role.as_str()));
        }
        if !filter.people.is_empty() {
            statement = statement.and_in("a.person_id", filter.people.iter().copied());
        }
        for (index, state) in filter.states.iter().enumerate() {
            statement = statement.push(if index == 0 { " and (" } else { " or " }).push(match state {
                TagState::Retired => "t.retired_at is not null",
                TagState::Assigned => "(t.retired_at is null and a.id is not null)",
                TagState::Stock => "(t.retired_at is null and a.id is null)",
            });
        }
        if !filter.states.is_empty() {
            statement = statement.push(")");
        }
        for (index, flag) in filter.flags.iter().enumerate() {
            statement = statement.push(if index == 0 { " and t.retired_at is null and (" } else { " or " });
            statement = push_flag(statement, *flag, limits);
            if *flag == TagFlag::Silent {
                statement = and_wearer_not_excluded(statement, excluded_wearers);
            }
        }
        if filter.flags.is_empty() { statement } else { statement.push(")") }
    }
}

/// Appends the condition on a flag: the rule of [`TagThresholds::has_flag`] in SQL. A test compares the two. Several are joined by `or`,
/// which binds less than the `and` inside of one.
fn push_flag(statement: Statement, flag: TagFlag, limits: &TagThresholds) -> Statement {
    match flag {
        TagFlag::TestOverdue => statement.push_with("x.tested_at <= $?", [limits.overdue_cutoff.into()]),
        TagFlag::TestDue => statement.push_with(
            "x.tested_at > $? and x.tested_at <= $?",
            [limits.overdue_cutoff.into(), limits.due_cutoff.into()],
        ),
        TagFlag::NeverTested => statement.push("x.id is null"),
        TagFlag::LowBattery => statement.push_with(
            "t.battery_percent <= $? and t.battery_percent > $?",
            [limits.low_battery_percent.into(), limits.critical_battery_percent.into()],
        ),
        TagFlag::CriticalBattery => {
            statement.push_with("t.battery_percent <= $?", [limits.critical_battery_percent.into()])
        }
        TagFlag::Silent => statement.push_with("t.last_seen_at <= $?", [limits.silence_cutoff.into()]),
    }
}

fn and_wearer_not_excluded(statement: Statement, excluded: &ExcludedWearers) -> Statement {
    match excluded {
        ExcludedWearers::Nobody => statement,
        ExcludedWearers::These(people) => {
            statement.and_not_in("a.person_id", people.iter().map(|person| person.0))
        }
        ExcludedWearers::Everyone => statement.push(" and a.person_id is null"),
    }
}
