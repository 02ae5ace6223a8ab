//! People who sign in.

use domain::{BrandId, EmailAddress, Name, ProjectId, Role, Timestamp, UserId, UserState};

use crate::engine::page::{self, Count, Keyed, Page, PageRequest};
use crate::engine::row::{FromRow, Row};
use crate::engine::statement::{Statement, sql};
use crate::{Error, Platform, Projects, Scope, Tx};

/// A user as others see them.
#[derive(Clone, Debug)]
pub struct User {
    /// Its id.
    pub id: UserId,
    /// The tenant.
    pub brand: BrandId,
    /// Unique in the installation.
    pub email: String,
    /// What they are called.
    pub name: String,
    /// What they may do.
    pub role: Role,
    /// Whether they may sign in.
    pub state: UserState,
    /// Whether they see only the projects of [`Users::projects`].
    pub restricted: bool,
    /// When they last signed in.
    pub last_login_at: Option<Timestamp>,
    /// When they were added.
    pub created_at: Timestamp,
    /// When they were last changed.
    pub updated_at: Timestamp,
    /// Moves with every change of name, role, state or restriction; the `ETag`.
    pub version: i64,
    /// Whether their logins ask for a code beside the password.
    pub has_second_factor: bool,
    name_key: String,
}

/// A user with the hash of their password; for authentication only.
#[derive(Clone, Debug)]
pub struct UserWithSecret {
    /// The user.
    pub user: User,
    /// The hash, as a PHC string; none before an invitation is accepted.
    pub password_hash: Option<String>,
    /// From when on a password that was made for them opens nothing, unless they use it before.
    pub password_expires_at: Option<Timestamp>,
}

/// What a new user is made of.
#[derive(Clone, Debug)]
pub struct NewUser<'a> {
    /// The tenant.
    pub brand: BrandId,
    /// Unique in the installation.
    pub email: &'a EmailAddress,
    /// What they are called.
    pub name: &'a Name,
    /// What they may do.
    pub role: Role,
    /// Whether they may sign in.
    pub state: UserState,
    /// The hash of the password, as a PHC string.
    pub password_hash: Option<&'a str>,
}

/// Which users are asked for.
#[derive(Clone, Debug, Default)]
pub struct UserFilter {
    /// Only those of this role.
    pub role: Option<Role>,
    /// Only those who stand there.
    pub state: Option<UserState>,
    /// Only those whose name or email contains this, whatever its case and accents.
    pub q: Option<String>,
}

const COLUMNS: &str = "select id, brand_id, email, name, name_key, role, state, restricted, last_login_at,
    created_at, updated_at, version, password_hash, password_expires_at,
    exists (select 1 from second_factors f where f.user_id = users.id and f.confirmed_at is not null) as has_second_factor
    from users";

impl FromRow for User {
    fn from_row(row: &Row) -> Result<Self, Error> {
        Ok(Self {
            id: row.get("id")?,
            brand: row.get("brand_id")?,
            email: row.get("email")?,
            name: row.get("name")?,
            role: row.parse("role", Role::parse)?,
            state: row.parse("state", |word| UserState::parse(word).ok_or(()))?,
            restricted: row.get("restricted")?,
            last_login_at: row.get("last_login_at")?,
            created_at: row.get("created_at")?,
            updated_at: row.get("updated_at")?,
            version: row.get("version")?,
            has_second_factor: row.get("has_second_factor")?,
            name_key: row.get("name_key")?,
        })
    }
}

impl FromRow for UserWithSecret {
    fn from_row(row: &Row) -> Result<Self, Error> {
        Ok(Self {
            user: User::from_row(row)?,
            password_hash: row.get("password_hash")?,
            password_expires_at: row.get("password_expires_at")?,
        })
    }
}

impl Keyed for User {
    fn key(&self) -> (&str, i64) {
        (&self.name_key, self.id.0)
    }
}

struct Project(ProjectId);

impl FromRow for Project {
    fn from_row(row: &Row) -> Result<Self, Error> {
        row.get("project_id").map(Self)
    }
}

/// All users of the installation; emails are unique in it.
pub struct Users<'a>(&'a mut Tx);

/// The users of one brand.
pub struct UsersOfBrand<'a>(&'a mut Tx, &'a Scope);

impl Tx {
    /// All users of the installation.
    pub fn users(&mut self, _: &Platform) -> Users<'_> {
        Users(self)
    }

    /// The users of one brand.
    pub fn users_of<'a>(&'a mut self, scope: &'a Scope) -> UsersOfBrand<'a> {
        UsersOfBrand(self, scope)
    }
}

impl Users<'_> {
    /// How many there are.
    pub async fn count(&mut self) -> Result<i64, Error> {
        let Count(count) = self.0.one(sql!("select count(*) as count from users")).await?;
        Ok(count)
    }

    /// Adds one. Whoever has a password claims their email for the installation: [`Error::Duplicate`] if someone has it. Who is
    /// only invited claims nothing before they accept, so that whether an email is used in another brand makes no difference.
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

    /// Claims the email of a user for the installation; [`Error::Duplicate`] if someone else has it. Doing so twice is fine.
    pub async fn claim_email(&mut self, id: UserId, email: &EmailAddress) -> Result<(), Error> {
        self.0.execute(sql!("update users set email_key = $2 where id = $1", id, email.key())).await?;
        Ok(())
    }

    /// Those who are invited under that email and have not accepted, in any brand.
    pub async fn invited_by_email(&mut self, email: &EmailAddress) -> Result<Vec<User>, Error> {
        let condition = " where email_key in (select $? || ' ' || b.id from brands b) order by id";
        self.0.all(sql!(COLUMNS).push_with(condition, [email.key().into()])).await
    }

    /// The one who has claimed that email.
    pub async fn by_email(&mut self, email: &EmailAddress) -> Result<Option<UserWithSecret>, Error> {
        self.0.optional(sql!(COLUMNS).push_with(" where email_key = $?", [email.key().into()])).await
    }

    /// The one of that id; other writers wait until this transaction ends.
    pub async fn by_id_locked(&mut self, id: UserId) -> Result<Option<UserWithSecret>, Error> {
        let lock = self.0.row_lock();
        self.0.optional(sql!(COLUMNS).push_with(" where id = $?", [id.into()]).push(lock)).await
    }

    /// Everyone, or everyone of one brand, by email.
    pub async fn all(&mut self, brand: Option<BrandId>) -> Result<Vec<User>, Error> {
        let mut statement = sql!(COLUMNS);
        if let Some(brand) = brand {
            statement = statement.push_with(" where brand_id = $?", [brand.into()]);
        }
        self.0.all(statement.push(" order by email_key")).await
    }

    /// Gives a new password, which they chose.
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

    /// Replaces the hash of the password they have by a better one.
    pub async fn rehash(&mut self, id: UserId, hash: &str) -> Result<(), Error> {
        self.0.execute(sql!("update users set password_hash = $2 where id = $1", id, hash)).await?;
        Ok(())
    }

    /// Has them change their password, and perhaps lets it expire unless they use it before.
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

    /// Changes role and state.
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

    /// Remembers a sign-in; a password that was used no longer expires.
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

    /// The projects a restricted user sees.
    pub async fn projects(&mut self, id: UserId) -> Result<Vec<ProjectId>, Error> {
        let rows: Vec<Project> = self
            .0
            .all(sql!("select project_id from user_projects where user_id = $1 order by project_id", id))
            .await?;
        Ok(rows.into_iter().map(|Project(id)| id).collect())
    }

    /// Restricts a user to these projects, or lifts the restriction. Gives back the first that is not of their brand;
    /// then the transaction is to be dropped.
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
        for project in projects.unwrap_or_default() {
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

impl UsersOfBrand<'_> {
    /// The one of that id.
    pub async fn find(&mut self, id: UserId) -> Result<Option<User>, Error> {
        let statement =
            sql!(COLUMNS).push_with(" where brand_id = $? and id = $?", [self.1.brand().into(), id.into()]);
        self.0.optional(and_covered_by(statement, self.1.projects())).await
    }

    /// Gives another name.
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

    /// Whether someone of the brand has that email, or is invited under it.
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

    /// How many admins who see all projects can sign in.
    pub async fn count_unrestricted_admins(&mut self) -> Result<i64, Error> {
        let Count(count) = self
            .0
            .one(sql!(
                "select count(*) as count from users
                 where brand_id = $1 and role = 'admin' and state = 'active' and restricted = $2",
                self.1.brand(),
                false
            ))
            .await?;
        Ok(count)
    }

    /// How many admins can sign in.
    pub async fn count_active_admins(&mut self) -> Result<i64, Error> {
        let Count(count) = self
            .0
            .one(sql!(
                "select count(*) as count from users
                 where brand_id = $1 and role = 'admin' and state = 'active'",
                self.1.brand()
            ))
            .await?;
        Ok(count)
    }

    /// One page, by name.
    pub async fn page(&mut self, filter: &UserFilter, page: &PageRequest) -> Result<Page<User>, Error> {
        let list = format!("users {filter:?}");
        let statement = self.filtered(sql!(COLUMNS), filter);
        let rows = self.0.all(page::order_by_name(statement, &list, page)?).await?;
        Ok(page::into_page(rows, &list, page))
    }

    /// How many the filter finds.
    pub async fn count(&mut self, filter: &UserFilter) -> Result<i64, Error> {
        let statement = self.filtered(sql!("select count(*) as count from users"), filter);
        let Count(count) = self.0.one(statement).await?;
        Ok(count)
    }

    fn filtered(&self, statement: Statement, filter: &UserFilter) -> Statement {
        let statement = statement.push_with(" where brand_id = $?", [self.1.brand().into()]);
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

/// The key of an email that nobody has claimed: no email has a space in it, so it is never mistaken for a claim.
fn unclaimed_key(email: &EmailAddress, brand: BrandId) -> String {
    format!("{} {brand}", email.key())
}
/// Appends a condition that holds for users who see nothing beyond the scope's projects.
fn and_covered_by(statement: Statement, projects: &Projects) -> Statement {
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
