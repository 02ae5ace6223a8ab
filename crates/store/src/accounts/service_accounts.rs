//! Service accounts: programs with a role of their own. Each is a row of `users`, completed by one of `service_accounts`.

use domain::{
    Name, NewServiceAccount, Page, PageRequest, ServiceAccount, ServiceAccountFilter, ServiceToken,
    Timestamp, UserId,
};

use crate::accounts::users::and_covered_by;
use crate::engine::page::{self, Count, Keyed};
use crate::engine::row::{FromColumns, Id, Row};
use crate::engine::statement::{Statement, sql};
use crate::{Error, Scope, Tx};

const COLUMNS: &str = "select users.id, users.name, users.name_key, users.role, users.restricted, a.expires_at, a.archived_at,
    users.version, users.created_at, users.updated_at, t.id as token_id, t.issued_at as token_issued_at,
    t.expires_at as token_expires_at, t.last_used_at as token_last_used_at, t.replaced_at as token_replaced_at,
    p.id as previous_id, p.issued_at as previous_issued_at, p.expires_at as previous_expires_at,
    p.last_used_at as previous_last_used_at, p.replaced_at as previous_replaced_at
    from users join service_accounts a on a.user_id = users.id
    left join service_tokens t on t.account_id = users.id and t.ended_at is null and t.replaced_at is null
    left join service_tokens p on p.account_id = users.id and p.ended_at is null and p.replaced_at is not null";

const COUNT: &str = "select count(*) as count from users join service_accounts a on a.user_id = users.id";

impl Keyed for ServiceAccount {
    fn key(&self) -> (&str, i64) {
        (&self.name_key, self.id.0)
    }
}

/// From the columns of the id and the times of issue, expiry, last use and replacement of a joined token; none if there is no such token.
impl FromColumns<5> for Option<ServiceToken> {
    fn from_columns(
        row: &Row,
        [id, issued_at, expires_at, used_at, replaced_at]: [&'static str; 5],
    ) -> Result<Self, Error> {
        Ok(match (row.get(id)?, row.get(issued_at)?, row.get(expires_at)?) {
            (Some(id), Some(issued_at), Some(expires_at)) => Some(ServiceToken {
                id,
                issued_at,
                expires_at,
                last_used_at: row.get(used_at)?,
                replaced_at: row.get(replaced_at)?,
            }),
            _ => None,
        })
    }
}

/// The service accounts of one brand that the scope covers.
pub struct ServiceAccounts<'a>(&'a mut Tx, &'a Scope);

impl Tx {
    pub fn service_accounts<'a>(&'a mut self, scope: &'a Scope) -> ServiceAccounts<'a> {
        ServiceAccounts(self, scope)
    }
}

#[macros::boxed]
impl ServiceAccounts<'_> {
    /// Adds an account that sees all projects; fails with [`Error::Duplicate`] if the name is taken. `email_key` is a text that no email
    /// address has, different for each account.
    pub async fn add(
        &mut self,
        new: &NewServiceAccount,
        email_key: &str,
        now: Timestamp,
    ) -> Result<UserId, Error> {
        let Id(id): Id<UserId> = self
            .0
            .one(sql!(
                "insert into users (brand_id, kind, email, email_key, name, name_key, role, state, restricted,
                     created_at, updated_at)
                 values ($1, 'service_account', '', $2, $3, $4, $5, 'active', false, $6, $6) returning id",
                self.1.brand(),
                email_key,
                new.name.as_str(),
                new.name.key(),
                new.role.as_str(),
                now
            ))
            .await?;
        self.0
            .execute(sql!(
                "insert into service_accounts (user_id, brand_id, expires_at) values ($1, $2, $3)",
                id,
                self.1.brand(),
                new.expires_at
            ))
            .await?;
        Ok(id)
    }

    /// Changes the name, role and expiry of an account that was found in this transaction; fails with [`Error::Duplicate`] if the name is
    /// taken.
    pub async fn change(&mut self, id: UserId, to: &NewServiceAccount, now: Timestamp) -> Result<(), Error> {
        self.0
            .execute(sql!(
                "update users set name = $3, name_key = $4, role = $5, updated_at = $6, version = version + 1
                 where brand_id = $1 and id = $2 and kind = 'service_account'",
                self.1.brand(),
                id,
                to.name.as_str(),
                to.name.key(),
                to.role.as_str(),
                now
            ))
            .await?;
        self.0
            .execute(sql!(
                "update service_accounts set expires_at = $3 where brand_id = $1 and user_id = $2",
                self.1.brand(),
                id,
                to.expires_at
            ))
            .await?;
        Ok(())
    }

    /// Archives an account that was found in this transaction. Its name becomes free.
    pub async fn archive(&mut self, id: UserId, now: Timestamp) -> Result<(), Error> {
        self.0
            .execute(sql!(
                "update users set state = 'deactivated', updated_at = $3, version = version + 1
                 where brand_id = $1 and id = $2 and kind = 'service_account'",
                self.1.brand(),
                id,
                now
            ))
            .await?;
        self.0
            .execute(sql!(
                "update service_accounts set archived_at = $3 where brand_id = $1 and user_id = $2",
                self.1.brand(),
                id,
                now
            ))
            .await?;
        Ok(())
    }

    /// Finds an account, archived or not.
    pub async fn find(&mut self, id: UserId) -> Result<Option<ServiceAccount>, Error> {
        let statement = self.covered(sql!(COLUMNS)).push_with(" and users.id = $?", [id.into()]);
        self.0.optional(statement).await
    }

    /// Finds the account of that name that is not archived.
    pub async fn by_name(&mut self, name: &Name) -> Result<Option<ServiceAccount>, Error> {
        let condition = " and a.archived_at is null and users.name_key = $?";
        let statement = self.covered(sql!(COLUMNS)).push_with(condition, [name.key().into()]);
        self.0.optional(statement).await
    }

    /// Returns one page, sorted by name.
    pub async fn page(
        &mut self,
        filter: &ServiceAccountFilter,
        page: &PageRequest,
    ) -> Result<Page<ServiceAccount>, Error> {
        let list = format!("service_accounts {filter:?}");
        let order = (" and (users.name_key, users.id) > ($?, $?)", " order by users.name_key, users.id");
        let statement = page::order_by_key(self.filtered(sql!(COLUMNS), filter), order, &list, page)?;
        let rows = self.0.all(statement).await?;
        Ok(page::into_page(rows, &list, page))
    }

    /// Counts the accounts that match the filter.
    pub async fn count(&mut self, filter: &ServiceAccountFilter) -> Result<i64, Error> {
        let statement = self.filtered(sql!(COUNT), filter);
        let Count(count) = self.0.one(statement).await?;
        Ok(count)
    }

    fn covered(&self, statement: Statement) -> Statement {
        let statement = statement.push_with(" where users.brand_id = $?", [self.1.brand().into()]);
        and_covered_by(statement, self.1.projects())
    }

    fn filtered(&self, statement: Statement, filter: &ServiceAccountFilter) -> Statement {
        let archived =
            if filter.archived { " and a.archived_at is not null" } else { " and a.archived_at is null" };
        let statement = self.covered(statement).push(archived);
        match &filter.q {
            Some(q) => {
                statement.push_with(" and users.name_key like $? escape '!'", [page::like_pattern(q).into()])
            }
            None => statement,
        }
    }
}
