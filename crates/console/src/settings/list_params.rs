//! The parameters of a list of settings: search, order, page, and the same rows as CSV.

use app::Error;
use domain::{Cursor, Direction, ListOrder, ListRequest, PageRequest, SortKey, Sorting};
use web::{FromParams, ListParams, Query, SortOrders};

use crate::parts::{MAX_CSV_ROWS, read_csv_format};
use crate::pickers::Pickers;

/// How a list is read, after the filters of its own.
pub struct PageOfList {
    pub csv: bool,
    limit: u16,
    cursor: Option<Cursor>,
}

/// A list of the registry: search, order and page.
pub struct RegistryParams {
    pub q: Option<String>,
    pub order: ListOrder,
    pub page: PageOfList,
}

impl FromParams for PageOfList {
    fn read(query: &mut Query) -> Result<Self, Error> {
        // The pickers of other pages stay in the address. They mean nothing here.
        Pickers::read(query)?;
        let csv = read_csv_format(query)?;
        let ListParams { limit, cursor, .. } = ListParams::read(query)?;
        Ok(Self { csv, limit, cursor })
    }
}

impl PageOfList {
    /// The page to read. A CSV begins at the beginning.
    pub fn request(&self) -> PageRequest {
        match self.csv {
            true => PageRequest { limit: MAX_CSV_ROWS, after: None },
            false => PageRequest { limit: self.limit, after: self.cursor.clone() },
        }
    }
}

impl RegistryParams {
    pub fn read(query: &mut Query, orders: &SortOrders) -> Result<Self, Error> {
        let order = orders.read(query, &["q"])?;
        Ok(Self { q: query.search("q")?, order, page: PageOfList::read(query)? })
    }

    pub fn request(&self) -> ListRequest {
        ListRequest::of_page(self.order, &self.page.request(), true)
    }

    /// The value of `sort`, in which the name of the first column is `first`; empty for an order that no column shows.
    pub fn sort(&self, first: &str) -> String {
        let ListOrder::Sorted(sorting) = self.order else { return String::new() };
        let keys =
            [(SortKey::Name, first), (SortKey::CreatedAt, "created_at"), (SortKey::UpdatedAt, "updated_at")];
        for (key, name) in keys {
            if sorting == Sorting::by(key, Direction::Ascending) {
                return name.to_owned();
            }
            if sorting == Sorting::by(key, Direction::Descending) {
                return format!("-{name}");
            }
        }
        String::new()
    }
}
