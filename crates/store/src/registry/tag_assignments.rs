//! Tag assignments: the dated links between tags and the people who wear them.

use domain::{
    Actor, Assignment, AssignmentFilter, Page, PageRequest, PersonId, PersonName, Slice, Sorting, Tag,
    TagAssignmentId, TagId, Timestamp, Window,
};

use crate::engine::page::{self, Count};
use crate::engine::row::Id;
use crate::engine::statement::{Statement, sql};
use crate::engine::window::{self, SortColumns, Sorted};
use crate::registry::actor::with_names_of_devices;
use crate::registry::listing;
use crate::{Error, Scope, Tx};

/// The corrected period of an assignment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssignmentPeriod {
    pub assigned_at: Timestamp,
    /// The end with its author; none while it is open.
    pub ended: Option<(Timestamp, Actor)>,
}

/// The facts that must not exist for [`TagAssignments::add_if_free`]: those at or after these times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AbsentFacts {
    /// Tests of the tag.
    pub tag_tests_from: Timestamp,
    /// Incursions of the brand, by their start.
    pub incursions_from: Timestamp,
    /// Runtime pieces of the brand, by their start.
    pub runtime_pieces_from: Timestamp,
}

/// In parts, for [`with_names_of_devices`].
const COLUMNS: [&str; 3] = [
    "select a.id, a.tag_id, t.serial, a.person_id, p.name, p.kind, a.assigned_at,
    a.assigned_by_kind, a.assigned_by_id, a.ended_at, a.ended_by_kind, a.ended_by_id, a.version, a.created_at,
    a.updated_at, a.registry_version, case
        when a.assigned_by_kind in ('user', 'service_account') then (select y.name from users y where y.id = a.assigned_by_id)
        when a.assigned_by_kind = 'tester_device' then (select y.name from tester_devices y where y.id = a.assigned_by_id",
    ") end as assigned_by_name, case
        when a.ended_by_kind in ('user', 'service_account') then (select y.name from users y where y.id = a.ended_by_id)
        when a.ended_by_kind = 'tester_device' then (select y.name from tester_devices y where y.id = a.ended_by_id",
    ") end as ended_by_name
    from tag_assignments a join tags t on t.id = a.tag_id join people p on p.id = a.person_id",
];

const SORT_COLUMNS: SortColumns = SortColumns {
    id: "a.id",
    name_key: "a.id",
    created_at: "a.created_at",
    updated_at: "a.updated_at",
    started_at: "a.assigned_at",
    registry_version: "a.registry_version",
};

/// Assignments have no name.
impl Sorted for Assignment {
    fn id(&self) -> i64 {
        self.id.0
    }

    fn name_key(&self) -> &'static str {
        ""
    }

    fn created_at(&self) -> Timestamp {
        self.created_at
    }

    fn updated_at(&self) -> Timestamp {
        self.updated_at
    }

    fn started_at(&self) -> Timestamp {
        self.assigned_at
    }
}

/// The tag assignments of a brand.
pub struct TagAssignments<'a>(&'a mut Tx, &'a Scope);

impl Tx {
    pub fn tag_assignments<'a>(&'a mut self, scope: &'a Scope) -> TagAssignments<'a> {
        TagAssignments(self, scope)
    }
}

#[macros::boxed]
impl TagAssignments<'_> {
    /// Adds an open assignment; fails with [`Error::Duplicate`] if the tag has an open one. The caller has marked the tag as changed.
    pub async fn add(
        &mut self,
        tag: TagId,
        person: PersonId,
        by: &Actor,
        (assigned_at, now): (Timestamp, Timestamp),
    ) -> Result<Assignment, Error> {
        let Id(id) = self
            .0
            .one(sql!(
                "insert into tag_assignments (brand_id, tag_id, person_id, assigned_at, assigned_by_kind,
                     assigned_by_id, created_at, updated_at, registry_version)
                 values ($1, $2, $3, $4, $5, $6, $7, $7,
                     (select registry_version from brand_counters where brand_id = $1))
                 returning id",
                self.1.brand(),
                tag,
                person,
                assigned_at,
                by.kind.as_str(),
                by.id,
                now
            ))
            .await?;
        self.find(id).await?.ok_or(Error::Engine(sqlx::Error::RowNotFound))
    }

    /// Adds an open assignment from now on, in a single statement. Returns none, and adds nothing, if the person is missing or
    /// archived, if the tag has an assignment that is open or ends later, or if there are facts that must be absent. The caller has
    /// marked the tag as changed.
    pub async fn add_if_free(
        &mut self,
        tag: &Tag,
        person: PersonId,
        by: &Actor,
        now: Timestamp,
        absent: AbsentFacts,
    ) -> Result<Option<Assignment>, Error> {
        #[derive(macros::FromRow)]
        struct Given(
            #[row(column = "id")] TagAssignmentId,
            #[row(columns("person_id", "name", "kind"))] PersonName,
            #[row(columns("assigned_by_kind", "assigned_by_id", "assigned_by_name"))] Actor,
        );
        let given: Option<Given> = self
            .0
            .optional(sql!(
                "insert into tag_assignments (brand_id, tag_id, person_id, assigned_at, assigned_by_kind,
                     assigned_by_id, created_at, updated_at, registry_version)
                 select $1, $2, p.id, $4, $5, $6, $4, $4,
                     (select registry_version from brand_counters where brand_id = $1) from people p
                 where p.brand_id = $1 and p.id = $3 and p.archived_at is null
                     and not exists (select 1 from tag_assignments a where a.brand_id = $1 and a.tag_id = $2
                         and (a.ended_at is null or a.ended_at > $4))
                     and not exists (select 1 from tag_tests t where t.brand_id = $1 and t.tag_id = $2
                         and t.tested_at >= $7)
                     and not exists (select 1 from incursions i where i.brand_id = $1 and i.started_at >= $8)
                     and not exists (select 1 from runtime_pieces r where r.brand_id = $1 and r.started_at >= $9)
                 returning id, person_id,
                     (select name from people where people.id = tag_assignments.person_id) as name,
                     (select kind from people where people.id = tag_assignments.person_id) as kind,
                     assigned_by_kind, assigned_by_id, case
                         when assigned_by_kind = 'tester_device' then
                             (select y.name from tester_devices y where y.id = tag_assignments.assigned_by_id)
                         when assigned_by_kind in ('user', 'service_account') then
                             (select y.name from users y where y.id = tag_assignments.assigned_by_id)
                     end as assigned_by_name",
                self.1.brand(),
                tag.id,
                person,
                now,
                by.kind.as_str(),
                by.id,
                absent.tag_tests_from,
                absent.incursions_from,
                absent.runtime_pieces_from
            ))
            .await?;
        Ok(given.map(|Given(id, person, assigned_by)| Assignment {
            id,
            tag: tag.id,
            tag_serial: tag.serial.clone(),
            person,
            assigned_at: now,
            assigned_by,
            ended_at: None,
            ended_by: None,
            version: 1,
            created_at: now,
            updated_at: now,
        }))
    }

    pub async fn find(&mut self, id: TagAssignmentId) -> Result<Option<Assignment>, Error> {
        let statement = self
            .columns()
            .push_with(" where a.brand_id = $? and a.id = $?", [self.1.brand().into(), id.into()]);
        self.0.optional(statement).await
    }

    /// Finds the assignment of a tag at a time.
    pub async fn of_tag_at(&mut self, tag: TagId, at: Timestamp) -> Result<Option<Assignment>, Error> {
        let statement = self.columns().push_with(
            " where a.brand_id = $? and a.tag_id = $? and a.assigned_at <= $? and (a.ended_at is null or a.ended_at > $?)
              order by a.assigned_at desc limit 1",
            [self.1.brand().into(), tag.into(), at.into(), at.into()],
        );
        self.0.optional(statement).await
    }

    /// Finds the open assignment of a tag.
    pub async fn open_of(&mut self, tag: TagId) -> Result<Option<Assignment>, Error> {
        let statement = self.columns().push_with(
            " where a.brand_id = $? and a.tag_id = $? and a.ended_at is null",
            [self.1.brand().into(), tag.into()],
        );
        self.0.optional(statement).await
    }

    /// Returns the open assignments of a person.
    pub async fn open_of_person(&mut self, person: PersonId) -> Result<Vec<Assignment>, Error> {
        let statement = self.columns().push_with(
            " where a.brand_id = $? and a.person_id = $? and a.ended_at is null order by a.id",
            [self.1.brand().into(), person.into()],
        );
        self.0.all(statement).await
    }

    /// Returns the assignments of these tags that overlap `[from, to)`, by tag and start. All ids go into one statement, so there must
    /// not be thousands.
    pub async fn of_tags(
        &mut self,
        tags: &[TagId],
        (from, to): (Timestamp, Timestamp),
    ) -> Result<Vec<Assignment>, Error> {
        let statement = self
            .columns()
            .push_with(
                " where a.brand_id = $? and a.assigned_at < $? and (a.ended_at is null or a.ended_at > $?)",
                [self.1.brand().into(), to.into(), from.into()],
            )
            .and_in("a.tag_id", tags.iter().copied())
            .push(" order by a.tag_id, a.assigned_at, a.id");
        self.0.all(statement.uncached()).await
    }

    /// Returns the tags that these people wore in `[from, to)`, by id.
    pub async fn tags_worn_by(
        &mut self,
        people: &[PersonId],
        (from, to): (Timestamp, Timestamp),
    ) -> Result<Vec<TagId>, Error> {
        #[derive(macros::FromRow)]
        struct Worn(#[row(column = "tag_id")] TagId);
        let statement = sql!(
            "select distinct a.tag_id from tag_assignments a
             where a.brand_id = $1 and a.assigned_at < $2 and (a.ended_at is null or a.ended_at > $3)",
            self.1.brand(),
            to,
            from
        )
        .and_in("a.person_id", people.iter().copied())
        .push(" order by a.tag_id");
        let found: Vec<Worn> = self.0.all(statement.uncached()).await?;
        Ok(found.into_iter().map(|Worn(tag)| tag).collect())
    }

    /// Returns the latest end of a tag's assignments. It may be in the future if it was set by a host whose clock is ahead.
    pub async fn latest_end(&mut self, tag: TagId) -> Result<Option<Timestamp>, Error> {
        #[derive(macros::FromRow)]
        struct Latest(#[row(column = "latest")] Option<Timestamp>);
        let Latest(latest) = self
            .0
            .one(sql!(
                "select max(ended_at) as latest from tag_assignments where brand_id = $1 and tag_id = $2",
                self.1.brand(),
                tag
            ))
            .await?;
        Ok(latest)
    }

    /// Finds the first other assignment of the tag, not an empty one, that overlaps `[from, to)`, which must not be empty; without `to`
    /// the period is open.
    pub async fn find_overlap(
        &mut self,
        tag: TagId,
        except: Option<TagAssignmentId>,
        (from, to): (Timestamp, Option<Timestamp>),
    ) -> Result<Option<Assignment>, Error> {
        let mut statement = self.columns().push_with(
            " where a.brand_id = $? and a.tag_id = $?
              and (a.ended_at is null or (a.ended_at > $? and a.ended_at > a.assigned_at))",
            [self.1.brand().into(), tag.into(), from.into()],
        );
        if let Some(to) = to {
            statement = statement.push_with(" and a.assigned_at < $?", [to.into()]);
        }
        if let Some(except) = except {
            statement = statement.push_with(" and a.id <> $?", [except.into()]);
        }
        self.0.optional(statement.push(" order by a.assigned_at, a.id limit 1")).await
    }

    /// Ends an assignment if it is open, and returns whether it was. The end must not be before its start.
    pub async fn end(
        &mut self,
        id: TagAssignmentId,
        by: &Actor,
        (at, now): (Timestamp, Timestamp),
    ) -> Result<bool, Error> {
        let ended = self
            .0
            .execute(sql!(
                "update tag_assignments set ended_at = $3, ended_by_kind = $4, ended_by_id = $5, updated_at = $6,
                     version = version + 1,
                     registry_version = (select registry_version from brand_counters where brand_id = $1)
                 where brand_id = $1 and id = $2 and ended_at is null",
                self.1.brand(),
                id,
                at,
                by.kind.as_str(),
                by.id,
                now
            ))
            .await?;
        if ended > 0 {
            self.mark_tag(id).await?;
        }
        Ok(ended > 0)
    }

    /// Marks the tag of an assignment as changed: lists of tags show who wears it.
    async fn mark_tag(&mut self, id: TagAssignmentId) -> Result<(), Error> {
        self.0
            .execute(sql!(
                "update tags set registry_version = (select registry_version from brand_counters where brand_id = $1)
                 where brand_id = $1
                     and id = (select tag_id from tag_assignments where brand_id = $1 and id = $2)",
                self.1.brand(),
                id
            ))
            .await?;
        Ok(())
    }

    /// Corrects an assignment that was found in this transaction; fails with [`Error::Duplicate`] if the tag would have two open
    /// ones.
    pub async fn correct(
        &mut self,
        id: TagAssignmentId,
        to: &AssignmentPeriod,
        now: Timestamp,
    ) -> Result<(), Error> {
        let (ended_at, by) = (to.ended.as_ref().map(|(at, _)| *at), to.ended.as_ref().map(|(_, by)| by));
        self.0
            .execute(sql!(
                "update tag_assignments set assigned_at = $3, ended_at = $4, ended_by_kind = $5, ended_by_id = $6,
                     updated_at = $7, version = version + 1,
                     registry_version = (select registry_version from brand_counters where brand_id = $1)
                 where brand_id = $1 and id = $2",
                self.1.brand(),
                id,
                to.assigned_at,
                ended_at,
                by.map(|by| by.kind.as_str()),
                by.and_then(|by| by.id),
                now
            ))
            .await?;
        self.mark_tag(id).await
    }

    /// Returns a page of a tag's assignments, latest start first.
    pub async fn history(&mut self, tag: TagId, page: &PageRequest) -> Result<Page<Assignment>, Error> {
        let list = format!("tag_assignments of tag {tag}");
        let filter = AssignmentFilter { tag: Some(tag), ..AssignmentFilter::default() };
        let statement = self.filtered(self.columns(), &filter);
        let order = (" and (a.assigned_at, a.id) < ($?, $?)", " order by a.assigned_at desc, a.id desc");
        let rows: Vec<Assignment> =
            self.0.all(page::order_by_time_desc(statement, order, &list, page)?).await?;
        let key = |row: &Assignment| (row.assigned_at.micros().to_string(), row.id.0);
        Ok(page::into_page_by(rows, &list, page, key))
    }

    /// Returns a window of the list, in any order and from either end.
    pub async fn slice(
        &mut self,
        filter: &AssignmentFilter,
        sorting: Sorting,
        window: &Window,
    ) -> Result<Slice<Assignment>, Error> {
        let list = format!("tag_assignments {filter:?} {sorting:?}");
        let statement = self.filtered(self.columns(), filter);
        let rows =
            self.0.all(window::apply_window(statement, &SORT_COLUMNS, sorting, &list, window)?).await?;
        Ok(window::into_registry_slice(rows, sorting, &list, window))
    }

    /// Returns the query plan of a window of the list, for tests of indexes.
    pub async fn explain_slice(
        &mut self,
        filter: &AssignmentFilter,
        sorting: Sorting,
        window: &Window,
    ) -> Result<Vec<String>, Error> {
        let statement = self.filtered(self.columns(), filter);
        self.0.explain(window::apply_window(statement, &SORT_COLUMNS, sorting, "", window)?).await
    }

    /// Counts the assignments that match the filter.
    pub async fn count(&mut self, filter: &AssignmentFilter) -> Result<i64, Error> {
        let statement = self.filtered(sql!("select count(*) as count from tag_assignments a"), filter);
        let Count(count) = self.0.one(statement).await?;
        Ok(count)
    }

    fn columns(&self) -> Statement {
        with_names_of_devices(&COLUMNS, self.1)
    }

    fn filtered(&self, statement: Statement, filter: &AssignmentFilter) -> Statement {
        let statement = statement.push_with(" where a.brand_id = $?", [self.1.brand().into()]);
        let mut statement = listing::and_rows(statement, &filter.rows, &SORT_COLUMNS);
        statement = match filter.open {
            Some(true) => statement.push(" and a.ended_at is null"),
            Some(false) => statement.push(" and a.ended_at is not null"),
            None => statement,
        };
        if let Some(person) = filter.person {
            statement = statement.push_with(" and a.person_id = $?", [person.into()]);
        }
        if let Some(tag) = filter.tag {
            statement = statement.push_with(" and a.tag_id = $?", [tag.into()]);
        }
        statement
    }
}
