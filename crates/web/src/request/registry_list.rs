//! Lists of the registry: their sort orders, and the changes after a version of the registry.

use app::Error;
use axum::response::Response;
use domain::{Direction, Invalid, ListOrder, ListRequest, Listing, RegistryChanges, SortKey, Sorting};
use serde::Serialize;

use crate::request::page::{List, ListParams};
use crate::request::params::Query;
use crate::response::success::json_response;

/// The sort orders of a list.
pub struct SortOrders {
    keys: &'static [(&'static str, SortKey)],
    default: Sorting,
}

impl SortOrders {
    pub const BY_NAME: Self = Self {
        keys: &[
            ("name", SortKey::Name),
            ("created_at", SortKey::CreatedAt),
            ("updated_at", SortKey::UpdatedAt),
        ],
        default: Sorting::by(SortKey::Name, Direction::Ascending),
    };
    pub const BY_SERIAL: Self = Self {
        keys: &[
            ("serial", SortKey::Name),
            ("created_at", SortKey::CreatedAt),
            ("updated_at", SortKey::UpdatedAt),
        ],
        default: Sorting::by(SortKey::Name, Direction::Ascending),
    };
    pub const OF_ASSIGNMENTS: Self = Self {
        keys: &[
            ("assigned_at", SortKey::StartedAt),
            ("created_at", SortKey::CreatedAt),
            ("updated_at", SortKey::UpdatedAt),
        ],
        default: Sorting::by(SortKey::Id, Direction::Descending),
    };
    pub const OF_VISITS: Self = Self {
        keys: &[
            ("checked_in_at", SortKey::StartedAt),
            ("created_at", SortKey::CreatedAt),
            ("updated_at", SortKey::UpdatedAt),
        ],
        default: Sorting::by(SortKey::Id, Direction::Descending),
    };

    /// Returns the names of the keys.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.keys.iter().map(|(name, _)| *name)
    }

    /// Reads `sort` or `after_version`. With the latter no filter may be given: a record that a change moves out of a filter would be
    /// missed.
    pub fn read(&self, query: &mut Query, filters: &[&str]) -> Result<ListOrder, Error> {
        let Some(after) = query.integer("after_version", 0..=i64::MAX)? else {
            let sorting = query.one("sort", |text| self.parse(text))?;
            return Ok(ListOrder::Sorted(sorting.unwrap_or(self.default)));
        };
        if let Some(name) = filters.iter().chain(&["sort"]).find(|name| query.has(name)) {
            let text = "must not be given together with after_version";
            return Err(Error::bad_parameter(name, Invalid::new("not_with_after_version", text)));
        }
        Ok(ListOrder::ChangedAfter(after))
    }

    fn parse(&self, text: &str) -> Result<Sorting, Invalid> {
        let (name, direction) = match text.strip_prefix('-') {
            Some(name) => (name, Direction::Descending),
            None => (text, Direction::Ascending),
        };
        let found = self.keys.iter().find(|(known, _)| *known == name);
        found.map(|(_, key)| Sorting::by(*key, direction)).ok_or_else(|| {
            let known: Vec<_> = self.names().collect();
            let text =
                format!("must be one of {}, with a leading minus for the descending order", known.join(", "));
            Invalid::new("invalid_sort", text)
        })
    }
}

/// The position of a page in a list of the registry.
#[macros::answer]
pub struct RegistryPageInfo {
    /// Maximum number of rows on a page.
    limit: u16,
    /// Cursor of the next page; null on the last page.
    next: Option<String>,
    /// Total number of rows that match the filters; only with `include_total=true`.
    #[serde(skip_serializing_if = "Option::is_none")]
    total: Option<i64>,
    /// Only with `after_version`: the version to pass next time, after the last page. On earlier pages follow `next`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = 1207)]
    registry_version: Option<i64>,
    /// Only with `after_version`, once all rows have been returned: ids of rows that were deleted or are no longer visible to you. Remove
    /// them from your copy. At most `limit` of them are on a page; pages without rows have the rest.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = json!([31]))]
    gone: Option<Vec<i64>>,
}

/// A page of a list of the registry.
pub type RegistryList<T> = List<T, RegistryPageInfo>;

impl ListParams {
    /// Returns the request for a page of a list of the registry.
    pub fn request(&self, order: ListOrder) -> ListRequest {
        ListRequest::of_page(order, &self.page(), self.include_total)
    }
}

/// Renders a page of a list of the registry.
pub fn registry_list_response<T, U: Serialize>(
    params: &ListParams,
    listing: Listing<T>,
    shape: impl FnMut(T) -> U,
) -> Response {
    let Listing { rows, next, total, changes, .. } = listing;
    let (registry_version, gone) = match changes {
        Some(RegistryChanges { version, gone }) => (Some(version), gone),
        None => (None, None),
    };
    let next = next.map(|cursor| cursor.as_str().to_owned());
    let page = RegistryPageInfo { limit: params.limit, next, total, registry_version, gone };
    json_response(&List::new(rows.into_iter().map(shape).collect(), page))
}
