//! People who wear tags, and their presence at worksites.

pub(crate) mod open_visits;
pub(crate) mod person_name;
pub(crate) mod visitor_sessions;
pub(crate) mod worksite_presence;

use domain::{EmailAddress, Name, NewPerson, Page, PageRequest, PeopleFilter, Person, PersonId, Timestamp};

use crate::engine::page::{self, Count, Keyed};
use crate::engine::statement::{Statement, sql};
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
              erased_at, version ",
            $after
        )
    };
}

const COLUMNS: &str = columns!("select", "from people");

impl Keyed for Person {
    fn key(&self) -> (&str, i64) {
        (&self.name_key, self.id.0)
    }
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
            "insert into people (brand_id, kind, name, name_key, employee_id, email, email_key, company, created_at,
                 updated_at)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9) returning",
            ""
        );
        let statement = self.with_values(sql!(text, self.1.brand()), new).bind(now);
        self.0.one(statement).await
    }

    /// Changes a person who was found in this transaction.
    pub async fn change(&mut self, id: PersonId, to: &NewPerson, now: Timestamp) -> Result<Person, Error> {
        let text = columns!(
            "update people set kind = $2, name = $3, name_key = $4, employee_id = $5, email = $6, email_key = $7,
                 company = $8, updated_at = $9, version = version + 1
             where brand_id = $1 and id = $10 returning",
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
            "update people set archived_at = $3, updated_at = $4, version = version + 1
             where brand_id = $1 and id = $2 returning",
            ""
        );
        self.0.one(sql!(text, self.1.brand(), id, archived_at, now)).await
    }

    /// Replaces the name with a placeholder and deletes everything else that identifies the person.
    pub async fn erase(&mut self, id: PersonId, now: Timestamp) -> Result<Person, Error> {
        let text = columns!(
            "update people set name = $3, name_key = $4, employee_id = null, email = null, email_key = null,
                 company = null, archived_at = coalesce(archived_at, $5), erased_at = $5, updated_at = $5,
                 version = version + 1
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

    /// Returns one page, sorted by name; by id for callers who may not see names, so that the order does not reveal them.
    pub async fn page(
        &mut self,
        filter: &PeopleFilter,
        shown_as: ShownAs,
        page: &PageRequest,
    ) -> Result<Page<Person>, Error> {
        let list = format!("people {shown_as:?} {filter:?}");
        let statement = self.filtered(sql!(COLUMNS), filter, shown_as);
        match shown_as {
            ShownAs::Name => {
                let rows = self.0.all(page::order_by_name(statement, &list, page)?).await?;
                Ok(page::into_page(rows, &list, page))
            }
            ShownAs::Label => {
                let order = (" and id > $?", " order by id");
                let rows: Vec<Person> = self.0.all(page::order_by_id(statement, order, &list, page)?).await?;
                Ok(page::into_page_by(rows, &list, page, |person| (String::new(), person.id.0)))
            }
        }
    }

    /// Counts the people that match the filter.
    pub async fn count(&mut self, filter: &PeopleFilter, shown_as: ShownAs) -> Result<i64, Error> {
        let statement = self.filtered(sql!("select count(*) as count from people"), filter, shown_as);
        let Count(count) = self.0.one(statement).await?;
        Ok(count)
    }

    fn filtered(&self, mut statement: Statement, filter: &PeopleFilter, shown_as: ShownAs) -> Statement {
        statement = statement
            .push_with(" where brand_id = $?", [self.1.brand().into()])
            .push(if filter.archived { " and archived_at is not null" } else { " and archived_at is null" });
        if let Some(kind) = filter.kind {
            statement = statement.push_with(" and kind = $?", [kind.as_str().into()]);
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
