//! Pages of a list that is read from its beginning to its end.

/// One page of a list.
#[derive(Clone, Debug)]
pub struct Page<T> {
    pub rows: Vec<T>,
    /// Cursor of the next page, or none on the last page.
    pub next: Option<Cursor>,
}

/// The page of a list that a caller requests.
#[derive(Clone, Debug)]
pub struct PageRequest {
    /// Maximum number of rows.
    pub limit: u16,
    /// The page begins after the row of this cursor.
    pub after: Option<Cursor>,
}

/// The position of a row in a list. It is opaque to clients, which send it back unchanged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor(String);

impl Cursor {
    /// Accepts the text of a client. It is validated when the list is read.
    pub fn from_client(text: &str) -> Self {
        Self(text.to_owned())
    }

    /// Accepts a text that the service has just encoded.
    pub fn from_encoded(text: String) -> Self {
        Self(text)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}
