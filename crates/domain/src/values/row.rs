//! Records that are read from the rows of a database, whatever the database is.
//!
//! A record is declared once, with `#[derive(macros::FromRow)]`. The crate that owns the rows implements [`Row`], [`ReadColumn`] and
//! [`ReadColumns`] for them.

/// A row of a database.
pub trait Row {
    type Error;

    /// The error of a column that holds an unknown word.
    fn unknown_word(column: &'static str, word: &str) -> Self::Error;
}

/// A row whose columns can be read as a `T`.
pub trait ReadColumn<T>: Row {
    /// Returns the value of the column of that name.
    fn column(&self, name: &'static str) -> Result<T, Self::Error>;
}

/// A row of which `N` columns together can be read as a `T`.
pub trait ReadColumns<T, const N: usize>: Row {
    /// Returns the value that is stored in the columns of those names.
    fn columns(&self, names: [&'static str; N]) -> Result<T, Self::Error>;
}

/// A record that can be read from rows of the type `R`.
pub trait FromRow<R: Row>: Sized {
    fn from_row(row: &R) -> Result<Self, R::Error>;
}
