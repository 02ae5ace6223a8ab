//! People who wear tags, and their presence at worksites.

pub(crate) mod open_visits;
pub(crate) mod person_name;
pub(crate) mod visitor_sessions;
pub(crate) mod worksite_presence;

use domain::{
    EmailAddress, Name, NewPerson, PeopleFilter, Person, PersonId, Slice, Sorting, Timestamp, Window,
};

use crate::engine::page::{self, Count};
use crate::engine::row::Id;
use crate::engine::statement::{Statement, sql};
use crate::engine::window::{self, OWN_COLUMNS, Sorted};
use crate::registry::listing;
use crate::{Error, Scope, Tx};

/// How people are shown to the caller. It decides which field is searched and how a list is sorted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ShownAs {
    /// By name.
    #[default]
    Name,
    /// By id, as [`domain::person::placeholder_name`] shows them.
    Label,
}

macro_rules! columns {
    ($before:literal, $after:literal) => {
        concat!(
            $before,
            " id, kind, name, name_key, employee_id, email, company, created_at, updated_at, archived_at,
              erased_at, version, registry_version ",
            $after
        )
    };
}

const COLUMNS: &str = columns!("select", "from people");

impl Sorted for Person {
    fn id(&self) -> i64 {
        self.id.0
    }

    fn name_key(&self) -> &str {
        &self.name_key
    }

    fn created_at(&self) -> Timestamp {
        self.created_at
    }

    fn updated_at(&self) -> Timestamp {
        self.updated_at
    }
}

/// A person with an employee id that others have as well.
#[derive(Clone, Debug, PartialEq, Eq, macros::FromRow)]
pub struct SharedEmployeeId {
    #[row(column = "id")]
    pub person: PersonId,
    pub employee_id: String,
    /// The folded employee id, which is the same for all that count as equal.
    pub employee_key: String,
    /// The number of all people who have it.
    pub owners: i64,
}

/// The people of a brand, visible across its projects.
pub struct People<'a>(&'a mut Tx, &'a Scope);

impl Tx {
    pub fn people<'a>(&'a mut self, scope: &'a Scope) -> People<'a> {
        People(self, scope)
    }
}

#[macros::boxed]
impl People<'_> {
    pub async fn add(&mut self, new: &NewPerson, now: Timestamp) -> Result<Person, Error> {
        let text = columns!(
            "insert into people (brand_id, kind, name, name_key, employee_id, employee_key, email, email_key, company,
                 created_at, updated_at, registry_version)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10,
                 (select registry_version from brand_counters where brand_id = $1)) returning",
            ""
        );
        let statement = self.with_values(sql!(text, self.1.brand()), new).bind(now);
        self.0.one(statement).await
    }

    /// Changes a person who was found in this transaction.
    pub async fn change(&mut self, id: PersonId, to: &NewPerson, now: Timestamp) -> Result<Person, Error> {
        let text = columns!(
            "update people set kind = $2, name = $3, name_key = $4, employee_id = $5, employee_key = $6, email = $7,
                 email_key = $8, company = $9, updated_at = $10, version = version + 1,
                 registry_version = (select registry_version from brand_counters where brand_id = $1)
             where brand_id = $1 and id = $11 returning",
            ""
        );
        let statement = self.with_values(sql!(text, self.1.brand()), to).bind(now).bind(id);
        self.0.one(statement).await
    }

    fn with_values(&self, statement: Statement, person: &NewPerson) -> Statement {
        statement
            .bind(person.kind.as_str())
            .bind(person.name.as_str())
            .bind(person.name.key())
            .bind(person.employee_id.as_ref().map(Name::as_str))
            .bind(person.employee_id.as_ref().map(Name::identifier_key))
            .bind(person.email.as_ref().map(EmailAddress::as_str))
            .bind(person.email.as_ref().map(EmailAddress::key))
            .bind(person.company.as_ref().map(Name::as_str))
    }

    /// Archives or restores a person who was found in this transaction.
    pub async fn set_archived(
        &mut self,
        id: PersonId,
        archived_at: Option<Timestamp>,
        now: Timestamp,
    ) -> Result<Person, Error> {
        let text = columns!(
            "update people set archived_at = $3, updated_at = $4, version = version + 1,
                 registry_version = (select registry_version from brand_counters where brand_id = $1)
             where brand_id = $1 and id = $2 returning",
            ""
        );
        self.0.one(sql!(text, self.1.brand(), id, archived_at, now)).await
    }

    /// Marks the records that show the name and the kind of a person as changed: the tags that they wear, and all their tag assignments
    /// and visits.
    pub async fn mark_references(&mut self, id: PersonId) -> Result<(), Error> {
        let brand = self.1.brand();
        let tags = "update tags set
                 registry_version = (select registry_version from brand_counters where brand_id = $1)
             where brand_id = $1 and id in (select tag_id from tag_assignments
                 where brand_id = $1 and person_id = $2 and ended_at is null)";
        let assignments = "update tag_assignments set
                 registry_version = (select registry_version from brand_counters where brand_id = $1)
             where brand_id = $1 and person_id = $2";
        let visits = "update visitor_sessions set
                 registry_version = (select registry_version from brand_counters where brand_id = $1)
             where brand_id = $1 and person_id = $2";
        for text in [tags, assignments, visits] {
            self.0.execute(sql!(text, brand, id)).await?;
        }
        Ok(())
    }

    /// Replaces the name with a placeholder and deletes everything else that identifies the person.
    pub async fn erase(&mut self, id: PersonId, now: Timestamp) -> Result<Person, Error> {
        let text = columns!(
            "update people set name = $3, name_key = $4, employee_id = null, employee_key = null, email = null,
                 email_key = null, company = null, archived_at = coalesce(archived_at, $5), erased_at = $5,
                 updated_at = $5, version = version + 1,
                 registry_version = (select registry_version from brand_counters where brand_id = $1)
             where brand_id = $1 and id = $2 returning",
            ""
        );
        let label = domain::person::placeholder_name(id);
        let key = domain::text::fold(&label);
        self.0.one(sql!(text, self.1.brand(), id, label, key, now)).await
    }

    pub async fn find(&mut self, id: PersonId) -> Result<Option<Person>, Error> {
        self.0
            .optional(
                sql!(COLUMNS)
                    .push_with(" where brand_id = $? and id = $?", [self.1.brand().into(), id.into()]),
            )
            .await
    }

    /// Finds people by id, archived or not, sorted by id.
    pub async fn among(&mut self, ids: &[PersonId]) -> Result<Vec<Person>, Error> {
        let statement = sql!(COLUMNS)
            .push_with(" where brand_id = $?", [self.1.brand().into()])
            .and_in_padded("id", ids.iter().copied())
            .push(" order by id");
        self.0.all(statement).await
    }

    /// Finds the visitor with that email who is not archived; the newest, if there are several.
    pub async fn visitor_by_email(&mut self, email: &EmailAddress) -> Result<Option<Person>, Error> {
        self.0
            .optional(sql!(COLUMNS).push_with(
                " where brand_id = $? and email_key = $? and kind = 'visitor' and archived_at is null
                  order by id desc limit 1",
                [self.1.brand().into(), email.key().into()],
            ))
            .await
    }

    /// Finds the person who is not archived and has that employee id, except one, if the brand wants employee ids to be unique. Writers
    /// must hold the brand's lock.
    pub async fn owner_of_employee_id(
        &mut self,
        employee_id: &Name,
        except: Option<PersonId>,
    ) -> Result<Option<PersonId>, Error> {
        let statement = sql!(
            "select p.id from people p join brands b on b.id = p.brand_id
             where p.brand_id = $1 and p.employee_key = $2 and p.archived_at is null and b.unique_employee_ids",
            self.1.brand(),
            employee_id.identifier_key()
        );
        let statement = match except {
            Some(id) => statement.push_with(" and p.id <> $?", [id.into()]),
            None => statement,
        };
        let found: Option<Id<PersonId>> = self.0.optional(statement.push(" order by p.id limit 1")).await?;
        Ok(found.map(|Id(id)| id))
    }

    /// Returns the people who are not archived and share their employee id with others: the first `max_ids` employee ids, and for each
    /// of them the first `max_owners` people, next to each other.
    pub async fn shared_employee_ids(
        &mut self,
        max_ids: i64,
        max_owners: i64,
    ) -> Result<Vec<SharedEmployeeId>, Error> {
        self.0
            .all(sql!(
                "select id, employee_id, employee_key, owners from (
                     select p.id, p.employee_id, p.employee_key,
                         count(*) over (partition by p.employee_key) as owners,
                         row_number() over (partition by p.employee_key order by p.id) as place
                     from people p where p.brand_id = $1 and p.archived_at is null and p.employee_key in (
                         select employee_key from people
                         where brand_id = $1 and employee_key is not null and archived_at is null
                         group by employee_key having count(*) > 1 order by employee_key limit $2)) shared
                 where place <= $3 order by employee_key, id",
                self.1.brand(),
                max_ids,
                max_owners
            ))
            .await
    }

    /// Counts the employee ids that several people have who are not archived.
    pub async fn count_shared_employee_ids(&mut self) -> Result<i64, Error> {
        let Count(count) = self
            .0
            .one(sql!(
                "select count(*) as count from (
                     select employee_key from people
                     where brand_id = $1 and employee_key is not null and archived_at is null
                     group by employee_key having count(*) > 1) shared",
                self.1.brand()
            ))
            .await?;
        Ok(count)
    }

    /// Returns a window of the list, in any order and from either end. For callers who may not see names, the id takes the place of the
    /// name, so that the order does not reveal them.
    pub async fn slice(
        &mut self,
        filter: &PeopleFilter,
        shown_as: ShownAs,
        sorting: Sorting,
        window: &Window,
    ) -> Result<Slice<Person>, Error> {
        let list = format!("people {shown_as:?} {filter:?} {sorting:?}");
        let statement = self.filtered(sql!(COLUMNS), filter, shown_as);
        let sorting = match shown_as {
            ShownAs::Name => sorting,
            ShownAs::Label => sorting.without_names(),
        };
        let rows = self.0.all(window::apply_window(statement, &OWN_COLUMNS, sorting, &list, window)?).await?;
        Ok(window::into_registry_slice(rows, sorting, &list, window))
    }

    /// Returns the query plan of a window of the list, for tests of indexes.
    pub async fn explain_slice(
        &mut self,
        filter: &PeopleFilter,
        sorting: Sorting,
        window: &Window,
    ) -> Result<Vec<String>, Error> {
        let statement = self.filtered(sql!(COLUMNS), filter, ShownAs::Name);
        self.0.explain(window::apply_window(statement, &OWN_COLUMNS, sorting, "", window)?).await
    }

    /// Counts the people that match the filter.
    pub async fn count(&mut self, filter: &PeopleFilter, shown_as: ShownAs) -> Result<i64, Error> {
        let statement = self.filtered(sql!("select count(*) as count from people"), filter, shown_as);
        let Count(count) = self.0.one(statement).await?;
        Ok(count)
    }

    fn filtered(&self, mut statement: Statement, filter: &PeopleFilter, shown_as: ShownAs) -> Statement {
        statement = statement.push_with(" where brand_id = $?", [self.1.brand().into()]).push(
            match (filter.rows.changed, filter.archived) {
                (Some(_), _) => "",
                (None, true) => " and archived_at is not null",
                (None, false) => " and archived_at is null",
            },
        );
        statement = listing::and_rows(statement, &filter.rows, &OWN_COLUMNS);
        if !filter.kinds.is_empty() {
            statement = statement.and_in("kind", filter.kinds.iter().map(|kind| kind.as_str()));
        }
        if let Some(q) = &filter.q {
            let condition = match shown_as {
                ShownAs::Name => " and name_key like $? escape '!'",
                ShownAs::Label => " and 'person ' || id like $? escape '!'",
            };
            statement = statement.push_with(condition, [page::like_pattern(q).into()]);
        }
        statement
    }
}
