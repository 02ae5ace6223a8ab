//! Partial updates of a record.

/// The effect of an update on one field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Change<T> {
    /// The field was not given and keeps its value.
    #[default]
    Keep,
    Set(T),
}

impl<T> Change<T> {
    /// Returns the value after the change.
    pub fn or(self, kept: T) -> T {
        match self {
            Self::Keep => kept,
            Self::Set(value) => value,
        }
    }
}

impl<T> Change<Option<T>> {
    /// Converts the new value, if there is one.
    pub fn map<U>(self, form: impl FnOnce(T) -> U) -> Change<Option<U>> {
        match self {
            Self::Keep => Change::Keep,
            Self::Set(value) => Change::Set(value.map(form)),
        }
    }
}
