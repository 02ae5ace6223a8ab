//! What a view asks.

use domain::insights::IncursionFilter;
use domain::{SavedViewKind, Timestamp};

use crate::insights::PivotRequest;
use crate::{Error, FieldError};

/// What a view asks, read and as it was sent.
#[derive(Clone, Debug)]
pub struct ViewDefinition {
    /// As it was read.
    pub of: ViewOf,
    /// As it was sent, as JSON; reading that again gives the same.
    pub text: String,
}

/// What a view asks.
#[derive(Clone, Debug)]
pub enum ViewOf {
    /// Measures by rows and columns.
    Pivot(Box<IncursionFilter>, PivotRequest),
    /// Which facts, and nothing of them yet.
    Filter(Box<IncursionFilter>),
}

impl ViewDefinition {
    /// The word for what it holds.
    pub fn kind(&self) -> SavedViewKind {
        match self.of {
            ViewOf::Pivot(..) => SavedViewKind::Pivot,
            ViewOf::Filter(_) => SavedViewKind::Filter,
        }
    }

    /// Refuses what could not be asked now, all that is wrong at once.
    pub(super) fn check(&self, now: Timestamp) -> Result<(), Error> {
        let mut faults = Vec::new();
        let (filter, place) = match &self.of {
            ViewOf::Filter(filter) => (filter, "definition"),
            ViewOf::Pivot(filter, pivot) => {
                if let Err(error) = pivot.check() {
                    faults.extend(error.within("definition").fields);
                }
                (filter, "definition.filters")
            }
        };
        if let Err((name, invalid)) = filter.period.unwrap_or_default().bounds(now) {
            faults.push(FieldError { field: format!("{place}.{name}"), invalid });
        }
        if faults.is_empty() { Ok(()) } else { Err(Error::invalid(faults)) }
    }
}
