//! Saved views: questions that users store under a name, for themselves or for their brand.

use domain::{
    Name, SavedView, SavedViewFilter, SavedViewId, SavedViewKind, Slice, Sorting, Timestamp, UserId, Window,
};

use crate::engine::page::{self, Count};
use crate::engine::statement::{Statement, sql};
use crate::engine::window::{self, OWN_COLUMNS, Sorted};
use crate::{Error, Scope, Tx};

#[derive(Clone, Debug)]
pub struct NewSavedView {
    pub name: Name,
    pub kind: SavedViewKind,
    /// The question as JSON.
    pub definition: String,
    pub shared: bool,
}

macro_rules! columns {
    ($before:literal, $after:literal) => {
        concat!(
            $before,
            " id, owner_id, (select u.kind from users u where u.id = saved_views.owner_id) as owner_kind, name, name_key, kind,
              definition, shared, version, created_at, updated_at ",
            $after
        )
    };
}

const COLUMNS: &str = columns!("select", "from saved_views");

impl Sorted for SavedView {
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

/// The saved views of a brand that a user sees: their own and those that are shared.
pub struct SavedViews<'a>(&'a mut Tx, &'a Scope, UserId);

impl Tx {
    pub fn saved_views<'a>(&'a mut self, scope: &'a Scope, user: UserId) -> SavedViews<'a> {
        SavedViews(self, scope, user)
    }
}

#[macros::boxed]
impl SavedViews<'_> {
    /// Adds a view of the user; fails with [`Error::Duplicate`] if they have one with that name.
    pub async fn add(&mut self, new: &NewSavedView, now: Timestamp) -> Result<SavedView, Error> {
        let text = columns!(
            "insert into saved_views (brand_id, owner_id, name, name_key, kind, definition, shared, version, created_at,
                 updated_at)
             values ($1, $2, $3, $4, $5, $6, $7, 1, $8, $8) returning",
            ""
        );
        self.0
            .one(sql!(
                text,
                self.1.brand(),
                self.2,
                new.name.as_str(),
                new.name.key(),
                new.kind.as_str(),
                new.definition.as_str(),
                new.shared,
                now
            ))
            .await
    }

    pub async fn find(&mut self, id: SavedViewId) -> Result<Option<SavedView>, Error> {
        let statement = self.of_id(id);
        self.0.optional(statement).await
    }

    /// Finds a view and locks its row until the end of the transaction.
    pub async fn find_locked(&mut self, id: SavedViewId) -> Result<Option<SavedView>, Error> {
        let lock = self.0.row_lock();
        let statement = self.of_id(id).push(lock);
        self.0.optional(statement).await
    }

    fn of_id(&self, id: SavedViewId) -> Statement {
        self.visible(sql!(COLUMNS)).push_with(" and id = $?", [id.into()])
    }

    /// Changes a view that was found in this transaction; fails with [`Error::Duplicate`] if its owner has another with that name.
    pub async fn change(
        &mut self,
        id: SavedViewId,
        to: &NewSavedView,
        now: Timestamp,
    ) -> Result<SavedView, Error> {
        let text = columns!(
            "update saved_views set name = $3, name_key = $4, definition = $5, shared = $6, updated_at = $7,
                 version = version + 1
             where brand_id = $1 and id = $2 returning",
            ""
        );
        self.0
            .one(sql!(
                text,
                self.1.brand(),
                id,
                to.name.as_str(),
                to.name.key(),
                to.definition.as_str(),
                to.shared,
                now
            ))
            .await
    }

    /// Deletes a view that was found and locked in this transaction, also as anyone's default view.
    pub async fn delete(&mut self, id: SavedViewId, now: Timestamp) -> Result<(), Error> {
        self.0.clear_default_view(self.1, id, now).await?;
        let statement = sql!("delete from saved_views where brand_id = $1 and id = $2", self.1.brand(), id);
        self.0.execute(statement).await?;
        Ok(())
    }

    /// Counts the views that the user owns.
    pub async fn count_own(&mut self) -> Result<i64, Error> {
        let text = "select count(*) as count from saved_views where brand_id = $1 and owner_id = $2";
        let Count(count) = self.0.one(sql!(text, self.1.brand(), self.2)).await?;
        Ok(count)
    }

    /// Returns a window of the list, in any order and from either end.
    pub async fn slice(
        &mut self,
        filter: &SavedViewFilter,
        sorting: Sorting,
        window: &Window,
    ) -> Result<Slice<SavedView>, Error> {
        let list = format!("saved_views {filter:?} {sorting:?}");
        let statement = self.filtered(sql!(COLUMNS), filter);
        let rows = self.0.all(window::apply_window(statement, &OWN_COLUMNS, sorting, &list, window)?).await?;
        Ok(window::into_slice(rows, sorting, &list, window))
    }

    /// Counts the views that match the filter.
    pub async fn count(&mut self, filter: &SavedViewFilter) -> Result<i64, Error> {
        let statement = self.filtered(sql!("select count(*) as count from saved_views"), filter);
        let Count(count) = self.0.one(statement).await?;
        Ok(count)
    }

    fn filtered(&self, statement: Statement, filter: &SavedViewFilter) -> Statement {
        let mut statement = self.visible(statement);
        if let Some(ids) = &filter.ids {
            statement = statement.and_in("id", ids.iter().copied()).uncached();
        }
        if !filter.kinds.is_empty() {
            statement = statement.and_in("kind", filter.kinds.iter().map(|kind| kind.as_str()));
        }
        if let Some(shared) = filter.shared {
            statement = statement.push_with(" and shared = $?", [shared.into()]);
        }
        match &filter.q {
            Some(q) => {
                statement.push_with(" and name_key like $? escape '!'", [page::like_pattern(q).into()])
            }
            None => statement,
        }
    }

    fn visible(&self, statement: Statement) -> Statement {
        let values = [self.1.brand().into(), self.2.into()];
        statement.push_with(" where brand_id = $? and (owner_id = $? or shared)", values)
    }
}
