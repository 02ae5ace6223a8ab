//! Tester devices: the kiosks where tags are tested and handed out.

use domain::{DeviceId, Name, Timestamp, TokenId};

use crate::page::{self, Count, Keyed, Page, PageRequest};
use crate::row::{FromRow, Id, Row};
use crate::statement::{Statement, sql};
use crate::{Error, Scope, Tx};

/// A tester device with its live token, if it has one.
#[derive(Clone, Debug)]
pub struct TesterDevice {
    /// Its id.
    pub id: DeviceId,
    /// What it is called; unique in the brand.
    pub name: String,
    /// Its live token.
    pub token: Option<TokenSummary>,
    /// When it was added.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
    name_key: String,
}

/// What may be shown of a token once it has been issued.
#[derive(Clone, Debug)]
pub struct TokenSummary {
    /// Its id.
    pub id: TokenId,
    /// How it begins, to recognise it by.
    pub hint: String,
    /// When it was issued.
    pub issued_at: Timestamp,
    /// When it was last used, to the minute.
    pub last_used_at: Option<Timestamp>,
}

const COLUMNS: &str = "select d.id, d.name, d.name_key, d.created_at, d.updated_at, t.id as token_id, t.hint,
    t.issued_at, t.last_used_at
    from tester_devices d
    left join device_tokens t on t.kind = 'tester' and t.device_id = d.id and t.ended_at is null";

impl FromRow for TesterDevice {
    fn from_row(row: &Row) -> Result<Self, Error> {
        let token = match (row.get("token_id")?, row.get("hint")?, row.get("issued_at")?) {
            (Some(id), Some(hint), Some(issued_at)) => {
                Some(TokenSummary { id, hint, issued_at, last_used_at: row.get("last_used_at")? })
            }
            _ => None,
        };
        Ok(Self {
            id: row.get("id")?,
            name: row.get("name")?,
            token,
            created_at: row.get("created_at")?,
            updated_at: row.get("updated_at")?,
            name_key: row.get("name_key")?,
        })
    }
}

impl Keyed for TesterDevice {
    fn key(&self) -> (&str, i64) {
        (&self.name_key, self.id.0)
    }
}

/// The tester devices of a brand.
pub struct TesterDevices<'a>(&'a mut Tx, &'a Scope);

impl Tx {
    /// The tester devices of a brand.
    pub fn tester_devices<'a>(&'a mut self, scope: &'a Scope) -> TesterDevices<'a> {
        TesterDevices(self, scope)
    }
}

impl TesterDevices<'_> {
    /// Adds one; [`Error::Duplicate`] if the name is taken.
    pub async fn add(&mut self, name: &Name, now: Timestamp) -> Result<TesterDevice, Error> {
        let Id(id) = self
            .0
            .one(sql!(
                "insert into tester_devices (brand_id, name, name_key, created_at, updated_at)
                 values ($1, $2, $3, $4, $4) returning id",
                self.1.brand(),
                name.as_str(),
                name.key(),
                now
            ))
            .await?;
        self.find(id).await?.ok_or(Error::Engine(sqlx::Error::RowNotFound))
    }

    /// The one of that id.
    pub async fn find(&mut self, id: DeviceId) -> Result<Option<TesterDevice>, Error> {
        let statement = self.filtered(sql!(COLUMNS), None).push_with(" and d.id = $?", [id.into()]);
        self.0.optional(statement).await
    }

    /// The same, and others who would issue it a token wait until this transaction ends.
    pub async fn find_locked(&mut self, id: DeviceId) -> Result<Option<TesterDevice>, Error> {
        let lock = self.0.row_lock();
        self.0
            .optional::<Id<DeviceId>>(
                sql!("select id from tester_devices where brand_id = $1 and id = $2", self.1.brand(), id)
                    .push(lock),
            )
            .await?;
        self.find(id).await
    }

    /// One page, by name.
    pub async fn page(&mut self, q: Option<&str>, page: &PageRequest) -> Result<Page<TesterDevice>, Error> {
        let list = format!("tester_devices {q:?}");
        let statement = self.filtered(sql!(COLUMNS), q);
        let rows = self.0.all(page::by_name_of_d(statement, &list, page)?).await?;
        Ok(page::cut(rows, &list, page))
    }

    /// How many the search finds.
    pub async fn count(&mut self, q: Option<&str>) -> Result<i64, Error> {
        let statement = self.filtered(sql!("select count(*) as count from tester_devices d"), q);
        let Count(count) = self.0.one(statement).await?;
        Ok(count)
    }

    fn filtered(&self, statement: Statement, q: Option<&str>) -> Statement {
        let statement = statement.push_with(" where d.brand_id = $?", [self.1.brand().into()]);
        match q {
            Some(q) => {
                statement.push_with(" and d.name_key like $? escape '!'", [page::containing(q).into()])
            }
            None => statement,
        }
    }
}
