//! What a view asks.

use domain::insights::IncursionFilter;
use domain::{SavedViewKind, Timestamp};

use crate::insights::PivotRequest;
use crate::{Error, FieldError};

/// What a view asks, read and as it was sent.
#[derive(Clone, Debug)]
pub struct ViewDefinition {
    /// As it was read.
    pub query: ViewQuery,
    /// As it was sent, as JSON; reading that again gives the same.
    pub json: String,
}

/// What a view asks.
#[derive(Clone, Debug)]
pub enum ViewQuery {
    /// Measures by rows and columns.
    Pivot(Box<IncursionFilter>, PivotRequest),
    /// Which facts, and nothing of them yet.
    Filter(Box<IncursionFilter>),
}

impl ViewDefinition {
    /// The word for what it holds.
    pub fn kind(&self) -> SavedViewKind {
        match self.query {
            ViewQuery::Pivot(..) => SavedViewKind::Pivot,
            ViewQuery::Filter(_) => SavedViewKind::Filter,
        }
    }

    /// Refuses what could not be asked now, all that is wrong at once.
    pub(super) fn check(&self, now: Timestamp) -> Result<(), Error> {
        let mut faults = Vec::new();
        let (filter, place) = match &self.query {
            ViewQuery::Filter(filter) => (filter, "definition"),
            ViewQuery::Pivot(filter, pivot) => {
                if let Err(error) = pivot.check() {
                    faults.extend(error.inside_field("definition").fields);
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
