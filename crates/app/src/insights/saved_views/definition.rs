//! The definition of a saved view.

use domain::insights::IncursionFilter;
use domain::{SavedViewKind, TimeZone, Timestamp};

use crate::insights::PivotRequest;
use crate::{Error, FieldError};

/// The definition of a view, parsed and as JSON.
#[derive(Clone, Debug)]
pub struct ViewDefinition {
    pub query: ViewQuery,
    /// The JSON as it was sent; parsing it again gives the same query.
    pub json: String,
}

#[derive(Clone, Debug)]
pub enum ViewQuery {
    /// Measures by rows and columns.
    Pivot(Box<IncursionFilter>, PivotRequest),
    /// A filter only.
    Filter(Box<IncursionFilter>),
}

impl ViewDefinition {
    pub fn kind(&self) -> SavedViewKind {
        match self.query {
            ViewQuery::Pivot(..) => SavedViewKind::Pivot,
            ViewQuery::Filter(_) => SavedViewKind::Filter,
        }
    }

    /// Rejects a definition that could not be run now; reports all errors together.
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
        if let Err((name, invalid)) = filter.period.unwrap_or_default().bounds(now, &TimeZone::utc()) {
            faults.push(FieldError { field: format!("{place}.{name}"), invalid });
        }
        if faults.is_empty() { Ok(()) } else { Err(Error::invalid(faults)) }
    }
}
