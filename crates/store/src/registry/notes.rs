//! Notes on people and machines. They are added and read, but never changed.

use domain::row::FromRow;
use domain::{EntityType, MultilineText, Note, NoteId, Page, PageRequest, PersonId, Timestamp, UserId};

use crate::engine::page::{self, Count, Keyed};
use crate::engine::row::{Id, Row};
use crate::engine::statement::{Statement, sql};
use crate::{Error, Scope, Tx};

const COLUMNS: &str = "select n.id, n.entity_type, n.entity_id, n.author_id, u.kind as author_kind, u.name, n.body, n.created_at
    from notes n join users u on u.id = n.author_id";

impl FromRow<Row> for Note {
    fn from_row(row: &Row) -> Result<Self, Error> {
        let body: String = row.get("body")?;
        Ok(Self {
            id: row.get("id")?,
            subject: row.get("entity_type")?,
            subject_id: row.get("entity_id")?,
            author: row.get_columns(["author_kind", "author_id", "name"])?,
            body: (!body.is_empty()).then_some(body),
            created_at: row.get("created_at")?,
        })
    }
}

impl Keyed for Note {
    fn key(&self) -> (&str, i64) {
        ("", self.id.0)
    }
}

/// The notes of a brand.
pub struct Notes<'a>(&'a mut Tx, &'a Scope);

impl Tx {
    pub fn notes<'a>(&'a mut self, scope: &'a Scope) -> Notes<'a> {
        Notes(self, scope)
    }
}

#[macros::boxed]
impl Notes<'_> {
    /// Returns whether the person or machine is visible in the scope. People are visible across the brand; a machine belongs to
    /// the project of the worksite that it is assigned to.
    pub async fn has_subject(&mut self, subject: EntityType, id: i64) -> Result<bool, Error> {
        let statement = match subject {
            EntityType::Person => {
                sql!("select id from people where brand_id = $1 and id = $2", self.1.brand(), id)
            }
            EntityType::Machine => {
                sql!("select m.id from machines m where m.brand_id = $1 and m.id = $2", self.1.brand(), id)
                    .and_in_projects(
                    self.1.projects(),
                    "(select w.project_id from machine_assignments a join worksites w on w.id = a.worksite_id
                          where a.machine_id = m.id and a.to_at is null)",
                )
            }
        };
        Ok(self.0.optional::<Id<i64>>(statement).await?.is_some())
    }

    pub async fn add(
        &mut self,
        (subject, id): (EntityType, i64),
        author: UserId,
        body: &MultilineText,
        now: Timestamp,
    ) -> Result<Note, Error> {
        let Id(note) = self
            .0
            .one::<Id<NoteId>>(sql!(
                "insert into notes (brand_id, entity_type, entity_id, author_id, body, created_at)
                 values ($1, $2, $3, $4, $5, $6) returning id",
                self.1.brand(),
                subject.as_str(),
                id,
                author,
                body.as_str(),
                now
            ))
            .await?;
        self.0.one(sql!(COLUMNS).push_with(" where n.id = $?", [note.into()])).await
    }

    /// Returns a page of the notes on a person or machine, newest first.
    pub async fn page(
        &mut self,
        (subject, id): (EntityType, i64),
        page: &PageRequest,
    ) -> Result<Page<Note>, Error> {
        let list = format!("notes {subject:?} {id}");
        let statement = self.on(sql!(COLUMNS), subject, id);
        let order = (" and n.id < $?", " order by n.id desc");
        let rows = self.0.all(page::order_by_id(statement, order, &list, page)?).await?;
        Ok(page::into_page(rows, &list, page))
    }

    /// Counts the notes on a person or machine.
    pub async fn count(&mut self, (subject, id): (EntityType, i64)) -> Result<i64, Error> {
        let statement = self.on(sql!("select count(*) as count from notes n"), subject, id);
        let Count(count) = self.0.one(statement).await?;
        Ok(count)
    }

    fn on(&self, statement: Statement, subject: EntityType, id: i64) -> Statement {
        statement.push_with(
            " where n.brand_id = $? and n.entity_type = $? and n.entity_id = $?",
            [self.1.brand().into(), subject.as_str().into(), id.into()],
        )
    }

    /// Empties the notes on a person. The rows stay, with author and time.
    pub async fn erase_person(&mut self, person: PersonId) -> Result<u64, Error> {
        self.0
            .execute(sql!(
                "update notes set body = '' where brand_id = $1 and entity_type = 'person' and entity_id = $2",
                self.1.brand(),
                person
            ))
            .await
    }
}
