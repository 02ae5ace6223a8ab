//! Changes to a part of a record.

/// What a change does to one field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Change<T> {
    /// It was not named, and stays.
    #[default]
    Keep,
    /// It gets this value.
    Set(T),
}

impl<T> Change<T> {
    /// The value after the change.
    pub fn or(self, kept: T) -> T {
        match self {
            Self::Keep => kept,
            Self::Set(value) => value,
        }
    }
}

impl<T> Change<Option<T>> {
    /// The same change, to another form of the value.
    pub fn map<U>(self, form: impl FnOnce(T) -> U) -> Change<Option<U>> {
        match self {
            Self::Keep => Change::Keep,
            Self::Set(value) => Change::Set(value.map(form)),
        }
    }
}
