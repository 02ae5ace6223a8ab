//! People who wear tags.

use domain::{Email, Name, PersonId, PersonKind, Timestamp};

use crate::page::{self, Count, Keyed, Page, PageRequest};
use crate::row::{FromRow, Row};
use crate::statement::{Statement, sql};
use crate::{Error, Scope, Tx};

/// A person, staff or visitor.
#[derive(Clone, Debug)]
pub struct Person {
    /// Its id.
    pub id: PersonId,
    /// Why they are on site.
    pub kind: PersonKind,
    /// What they are called.
    pub name: String,
    /// Their number with their employer.
    pub employee_id: Option<String>,
    /// Where they are written to.
    pub email: Option<String>,
    /// Whom they work for.
    pub company: Option<String>,
    /// When they were added.
    pub created_at: Timestamp,
    /// When they were last changed.
    pub updated_at: Timestamp,
    /// When they were archived.
    pub archived_at: Option<Timestamp>,
    name_key: String,
}

/// What a new person is made of.
#[derive(Clone, Debug)]
pub struct NewPerson {
    /// Why they are on site.
    pub kind: PersonKind,
    /// What they are called.
    pub name: Name,
    /// Their number with their employer.
    pub employee_id: Option<Name>,
    /// Where they are written to.
    pub email: Option<Email>,
    /// Whom they work for.
    pub company: Option<Name>,
}

/// Which people are asked for.
#[derive(Clone, Debug, Default)]
pub struct PeopleFilter {
    /// Only staff, or only visitors.
    pub kind: Option<PersonKind>,
    /// Only those whose name contains this, whatever its case and accents.
    pub q: Option<String>,
}

const COLUMNS: &str = "select id, kind, name, name_key, employee_id, email, company, created_at, updated_at,
    archived_at from people";

impl FromRow for Person {
    fn from_row(row: &Row) -> Result<Self, Error> {
        Ok(Self {
            id: row.get("id")?,
            kind: row.word("kind", PersonKind::parse)?,
            name: row.get("name")?,
            employee_id: row.get("employee_id")?,
            email: row.get("email")?,
            company: row.get("company")?,
            created_at: row.get("created_at")?,
            updated_at: row.get("updated_at")?,
            archived_at: row.get("archived_at")?,
            name_key: row.get("name_key")?,
        })
    }
}

impl Keyed for Person {
    fn key(&self) -> (&str, i64) {
        (&self.name_key, self.id.0)
    }
}

/// The people of a brand; readable across its projects.
pub struct People<'a>(&'a mut Tx, &'a Scope);

impl Tx {
    /// The people of a brand.
    pub fn people<'a>(&'a mut self, scope: &'a Scope) -> People<'a> {
        People(self, scope)
    }
}

impl People<'_> {
    /// Adds one.
    pub async fn add(&mut self, new: &NewPerson, now: Timestamp) -> Result<Person, Error> {
        self.0
            .one(sql!(
                "insert into people (brand_id, kind, name, name_key, employee_id, email, email_key, company, created_at,
                     updated_at)
                 values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9)
                 returning id, kind, name, name_key, employee_id, email, company, created_at, updated_at,
                     archived_at",
                self.1.brand(),
                new.kind.as_str(),
                new.name.as_str(),
                new.name.key(),
                new.employee_id.as_ref().map(Name::as_str),
                new.email.as_ref().map(Email::as_str),
                new.email.as_ref().map(Email::key),
                new.company.as_ref().map(Name::as_str),
                now
            ))
            .await
    }

    /// The one of that id.
    pub async fn find(&mut self, id: PersonId) -> Result<Option<Person>, Error> {
        self.0
            .optional(
                sql!(COLUMNS)
                    .push_with(" where brand_id = $? and id = $?", [self.1.brand().into(), id.into()]),
            )
            .await
    }

    /// The visitor with that email who is not archived; the latest, if there are several.
    pub async fn visitor_by_email(&mut self, email: &Email) -> Result<Option<Person>, Error> {
        self.0
            .optional(sql!(COLUMNS).push_with(
                " where brand_id = $? and email_key = $? and kind = 'visitor' and archived_at is null
                  order by id desc limit 1",
                [self.1.brand().into(), email.key().into()],
            ))
            .await
    }

    /// One page of those who are not archived, by name.
    pub async fn page(&mut self, filter: &PeopleFilter, page: &PageRequest) -> Result<Page<Person>, Error> {
        let list = format!("people {:?} {:?}", filter.kind, filter.q);
        let statement = self.filtered(sql!(COLUMNS), filter);
        let rows = self.0.all(page::by_name(statement, &list, page)?).await?;
        Ok(page::cut(rows, &list, page))
    }

    /// How many the filter finds.
    pub async fn count(&mut self, filter: &PeopleFilter) -> Result<i64, Error> {
        let statement = self.filtered(sql!("select count(*) as count from people"), filter);
        let Count(count) = self.0.one(statement).await?;
        Ok(count)
    }

    fn filtered(&self, mut statement: Statement, filter: &PeopleFilter) -> Statement {
        statement =
            statement.push_with(" where brand_id = $? and archived_at is null", [self.1.brand().into()]);
        if let Some(kind) = filter.kind {
            statement = statement.push_with(" and kind = $?", [kind.as_str().into()]);
        }
        if let Some(q) = &filter.q {
            statement = statement.push_with(" and name_key like $? escape '!'", [page::containing(q).into()]);
        }
        statement
    }
}
