//! User accounts. An email is unique in the installation once its user has a password.
//!
//! The table also has a row for each service account. The queries here leave them out, except those by id that say nothing of people.

use std::collections::HashMap;

use domain::{
    BrandId, EmailAddress, Name, Page, PageRequest, ProjectId, Role, Timestamp, User, UserFilter, UserId,
    UserState,
};

use crate::engine::page::{self, Count, Keyed};
use crate::engine::statement::{Statement, sql};
use crate::{Error, Platform, Projects, Scope, Tx};

/// A user with the hash of their password; for authentication only.
#[derive(Clone, Debug, macros::FromRow)]
pub struct UserWithSecret {
    #[row(flatten)]
    pub user: User,
    /// PHC string, or none before an invitation is accepted.
    pub password_hash: Option<String>,
    /// Time from which a generated password is no longer valid, unless it was used before.
    pub password_expires_at: Option<Timestamp>,
}

#[derive(Clone, Debug)]
pub struct NewUser<'a> {
    pub brand: BrandId,
    /// Unique in the installation.
    pub email: &'a EmailAddress,
    pub name: &'a Name,
    pub role: Role,
    pub state: UserState,
    /// PHC string.
    pub password_hash: Option<&'a str>,
}

const COLUMNS: &str = "select id, brand_id, email, name, name_key, role, state, restricted, last_login_at,
    created_at, updated_at, version, password_hash, password_expires_at,
    exists (select 1 from second_factors f where f.user_id = users.id and f.confirmed_at is not null) as has_second_factor
    from users";

impl Keyed for User {
    fn key(&self) -> (&str, i64) {
        (&self.name_key, self.id.0)
    }
}

#[derive(macros::FromRow)]
struct Project(#[row(column = "project_id")] ProjectId);

#[derive(macros::FromRow)]
struct UserProject {
    #[row(column = "user_id")]
    user: UserId,
    #[row(column = "project_id")]
    project: ProjectId,
}

/// All users of the installation.
pub struct Users<'a>(&'a mut Tx);

/// The users of one brand that the scope covers.
pub struct UsersOfBrand<'a>(&'a mut Tx, &'a Scope);

impl Tx {
    pub fn users(&mut self, _: &Platform) -> Users<'_> {
        Users(self)
    }

    pub fn users_of<'a>(&'a mut self, scope: &'a Scope) -> UsersOfBrand<'a> {
        UsersOfBrand(self, scope)
    }
}

#[macros::boxed]
impl Users<'_> {
    pub async fn count(&mut self) -> Result<i64, Error> {
        let statement = sql!("select count(*) as count from users where kind = 'person'");
        let Count(count) = self.0.one(statement).await?;
        Ok(count)
    }

    /// Adds a user. One with a password claims the email for the installation: [`Error::Duplicate`] if it is taken. An invited user
    /// claims it only when they accept, so that an invitation does not reveal whether another brand uses the email.
    pub async fn add(&mut self, new: &NewUser<'_>, now: Timestamp) -> Result<User, Error> {
        self.0
            .one(sql!(
                "insert into users (brand_id, email, email_key, name, name_key, role, state, password_hash,
                     restricted, created_at, updated_at)
                 values ($1, $2, $3, $4, $5, $6, $7, $8, false, $9, $9)
                 returning id, brand_id, email, name, name_key, role, state, restricted, last_login_at,
                     created_at, updated_at, version, false as has_second_factor",
                new.brand,
                new.email.as_str(),
                match new.password_hash {
                    Some(_) => new.email.key(),
                    None => unclaimed_key(new.email, new.brand),
                },
                new.name.as_str(),
                new.name.key(),
                new.role.as_str(),
                new.state.as_str(),
                new.password_hash,
                now
            ))
            .await
    }

    /// Claims a user's email for the installation; [`Error::Duplicate`] if another user has it. Repeating the claim has no effect.
    pub async fn claim_email(&mut self, id: UserId, email: &EmailAddress) -> Result<(), Error> {
        self.0.execute(sql!("update users set email_key = $2 where id = $1", id, email.key())).await?;
        Ok(())
    }

    /// Lists the users of all brands who are invited under that email and have not accepted yet.
    pub async fn invited_by_email(&mut self, email: &EmailAddress) -> Result<Vec<User>, Error> {
        let condition = " where email_key in (select $? || ' ' || b.id from brands b) order by id";
        self.0.all(sql!(COLUMNS).push_with(condition, [email.key().into()])).await
    }

    /// Finds the user who has claimed that email.
    pub async fn by_email(&mut self, email: &EmailAddress) -> Result<Option<UserWithSecret>, Error> {
        self.0.optional(sql!(COLUMNS).push_with(" where email_key = $?", [email.key().into()])).await
    }

    /// Finds a user; other writers wait until this transaction ends.
    pub async fn by_id_locked(&mut self, id: UserId) -> Result<Option<UserWithSecret>, Error> {
        let lock = self.0.row_lock();
        self.0.optional(sql!(COLUMNS).push_with(" where id = $?", [id.into()]).push(lock)).await
    }

    /// Lists all users, or those of one brand, by email.
    pub async fn all(&mut self, brand: Option<BrandId>) -> Result<Vec<User>, Error> {
        let mut statement = sql!(COLUMNS).push(" where kind = 'person'");
        if let Some(brand) = brand {
            statement = statement.push_with(" and brand_id = $?", [brand.into()]);
        }
        self.0.all(statement.push(" order by email_key")).await
    }

    /// Sets a password that the user chose.
    pub async fn set_password(&mut self, id: UserId, hash: &str, now: Timestamp) -> Result<(), Error> {
        self.0
            .execute(sql!(
                "update users set password_hash = $2, password_change_due = false, password_expires_at = null,
                     updated_at = $3
                 where id = $1",
                id,
                hash,
                now
            ))
            .await?;
        Ok(())
    }

    /// Replaces the hash of the current password with a stronger one.
    pub async fn rehash(&mut self, id: UserId, hash: &str) -> Result<(), Error> {
        self.0.execute(sql!("update users set password_hash = $2 where id = $1", id, hash)).await?;
        Ok(())
    }

    /// Requires the user to change their password. With `at`, the password also expires then unless it is used before.
    pub async fn expire_password(&mut self, id: UserId, at: Option<Timestamp>) -> Result<(), Error> {
        self.0
            .execute(sql!(
                "update users set password_change_due = true, password_expires_at = $2 where id = $1",
                id,
                at
            ))
            .await?;
        Ok(())
    }

    pub async fn set_access(
        &mut self,
        id: UserId,
        role: Role,
        state: UserState,
        now: Timestamp,
    ) -> Result<(), Error> {
        self.0
            .execute(sql!(
                "update users set role = $2, state = $3, updated_at = $4, version = version + 1 where id = $1",
                id,
                role.as_str(),
                state.as_str(),
                now
            ))
            .await?;
        Ok(())
    }

    /// Records a login. A password that was used no longer expires.
    pub async fn record_login(&mut self, id: UserId, now: Timestamp) -> Result<(), Error> {
        self.0
            .execute(sql!(
                "update users set last_login_at = $2, password_expires_at = null where id = $1",
                id,
                now
            ))
            .await?;
        Ok(())
    }

    /// Lists the projects that a restricted user sees.
    pub async fn projects(&mut self, id: UserId) -> Result<Vec<ProjectId>, Error> {
        let rows: Vec<Project> = self
            .0
            .all(sql!("select project_id from user_projects where user_id = $1 order by project_id", id))
            .await?;
        Ok(rows.into_iter().map(|Project(id)| id).collect())
    }

    /// Returns the projects of restricted users, of whom there may be as many as a page has, in order. Users without any are absent.
    pub async fn projects_of(&mut self, ids: &[UserId]) -> Result<HashMap<UserId, Vec<ProjectId>>, Error> {
        let mut projects: HashMap<UserId, Vec<ProjectId>> = HashMap::new();
        if ids.is_empty() {
            return Ok(projects);
        }
        let statement = sql!("select user_id, project_id from user_projects where user_id in ")
            .push_list(ids.iter().copied())
            .push(" order by user_id, project_id");
        let rows: Vec<UserProject> = self.0.all(statement.uncached()).await?;
        for row in rows {
            projects.entry(row.user).or_default().push(row.project);
        }
        Ok(projects)
    }

    /// Restricts a user to these projects, or lifts the restriction. Returns the first project that is not of their brand; the caller
    /// must then drop the transaction.
    pub async fn restrict(
        &mut self,
        id: UserId,
        projects: Option<&[ProjectId]>,
        now: Timestamp,
    ) -> Result<Option<ProjectId>, Error> {
        self.0
            .execute(sql!(
                "update users set restricted = $2, updated_at = $3, version = version + 1 where id = $1",
                id,
                projects.is_some(),
                now
            ))
            .await?;
        self.0.execute(sql!("delete from user_projects where user_id = $1", id)).await?;
        self.add_projects(id, projects.unwrap_or_default()).await
    }

    /// Restricts a user who was added in this transaction, and is not changed thereby. The result is that of [`Users::restrict`].
    pub async fn restrict_new(
        &mut self,
        id: UserId,
        projects: &[ProjectId],
    ) -> Result<Option<ProjectId>, Error> {
        self.0.execute(sql!("update users set restricted = $2 where id = $1", id, true)).await?;
        self.add_projects(id, projects).await
    }

    async fn add_projects(&mut self, id: UserId, projects: &[ProjectId]) -> Result<Option<ProjectId>, Error> {
        for project in projects {
            let added = self
                .0
                .execute(sql!(
                    "insert into user_projects (user_id, project_id)
                     select u.id, p.id from users u join projects p on p.brand_id = u.brand_id
                     where u.id = $1 and p.id = $2 on conflict (user_id, project_id) do update set user_id = excluded.user_id",
                    id,
                    *project
                ))
                .await?;
            if added == 0 {
                return Ok(Some(*project));
            }
        }
        Ok(None)
    }
}

#[macros::boxed]
impl UsersOfBrand<'_> {
    pub async fn find(&mut self, id: UserId) -> Result<Option<User>, Error> {
        let statement = self.of_id(id).push(" and kind = 'person'");
        self.0.optional(statement).await
    }

    /// Finds a person or a service account: the owner of something that both can own.
    pub async fn find_owner(&mut self, id: UserId) -> Result<Option<User>, Error> {
        let statement = self.of_id(id);
        self.0.optional(statement).await
    }

    fn of_id(&self, id: UserId) -> Statement {
        let statement =
            sql!(COLUMNS).push_with(" where brand_id = $? and id = $?", [self.1.brand().into(), id.into()]);
        and_covered_by(statement, self.1.projects())
    }

    pub async fn rename(&mut self, id: UserId, name: &Name, now: Timestamp) -> Result<(), Error> {
        self.0
            .execute(sql!(
                "update users set name = $3, name_key = $4, updated_at = $5, version = version + 1
                 where brand_id = $1 and id = $2",
                self.1.brand(),
                id,
                name.as_str(),
                name.key(),
                now
            ))
            .await?;
        Ok(())
    }

    /// Whether a user of the brand has that email or is invited under it.
    pub async fn has_email(&mut self, email: &EmailAddress) -> Result<bool, Error> {
        let found: Option<User> = self
            .0
            .optional(sql!(COLUMNS).push_with(
                " where brand_id = $? and email_key in ($?, $?) limit 1",
                [self.1.brand().into(), email.key().into(), unclaimed_key(email, self.1.brand()).into()],
            ))
            .await?;
        Ok(found.is_some())
    }

    /// Counts the active admins who see all projects.
    pub async fn count_unrestricted_admins(&mut self) -> Result<i64, Error> {
        let Count(count) = self
            .0
            .one(sql!(
                "select count(*) as count from users
                 where brand_id = $1 and kind = 'person' and role = 'admin' and state = 'active' and restricted = $2",
                self.1.brand(),
                false
            ))
            .await?;
        Ok(count)
    }

    /// Counts the active admins.
    pub async fn count_active_admins(&mut self) -> Result<i64, Error> {
        let Count(count) = self
            .0
            .one(sql!(
                "select count(*) as count from users
                 where brand_id = $1 and kind = 'person' and role = 'admin' and state = 'active'",
                self.1.brand()
            ))
            .await?;
        Ok(count)
    }

    /// Returns one page, sorted by name.
    pub async fn page(&mut self, filter: &UserFilter, page: &PageRequest) -> Result<Page<User>, Error> {
        let list = format!("users {filter:?}");
        let statement = self.filtered(sql!(COLUMNS), filter);
        let rows = self.0.all(page::order_by_name(statement, &list, page)?).await?;
        Ok(page::into_page(rows, &list, page))
    }

    /// Counts the users that match the filter.
    pub async fn count(&mut self, filter: &UserFilter) -> Result<i64, Error> {
        let statement = self.filtered(sql!("select count(*) as count from users"), filter);
        let Count(count) = self.0.one(statement).await?;
        Ok(count)
    }

    fn filtered(&self, statement: Statement, filter: &UserFilter) -> Statement {
        let statement =
            statement.push_with(" where brand_id = $? and kind = 'person'", [self.1.brand().into()]);
        let mut statement = and_covered_by(statement, self.1.projects());
        if let Some(role) = filter.role {
            statement = statement.push_with(" and role = $?", [role.as_str().into()]);
        }
        if let Some(state) = filter.state {
            statement = statement.push_with(" and state = $?", [state.as_str().into()]);
        }
        if let Some(q) = &filter.q {
            let pattern = page::like_pattern(q);
            statement = statement.push_with(
                " and (name_key like $? escape '!' or email_key like $? escape '!')",
                [pattern.clone().into(), pattern.into()],
            );
        }
        statement
    }
}

/// The key of an unclaimed email. No email contains a space, so it cannot be mistaken for a claimed one.
fn unclaimed_key(email: &EmailAddress, brand: BrandId) -> String {
    format!("{} {brand}", email.key())
}

/// Appends the condition that a row of `users` sees no project outside of the scope's.
pub(super) fn and_covered_by(statement: Statement, projects: &Projects) -> Statement {
    if *projects == Projects::All {
        return statement;
    }
    statement
        .push_with(" and restricted = $?", [true.into()])
        .push(" and not exists (select 1 from user_projects s where s.user_id = users.id")
        .and_not_in_projects(projects, "s.project_id")
        .push(")")
        .uncached()
}
