//! Fallback for unknown chart names.

use app::{Error, ErrorKind};
use domain::access::ReadInsights;
use web::{Caller, PathText, Result};

/// Answers 404 for an unknown chart and says where the charts are listed.
pub async fn no_such_chart(Caller(_): Caller<ReadInsights>, PathText(name): PathText) -> Result {
    let name: String = name.chars().filter(|letter| !letter.is_control()).take(64).collect();
    let text = format!("There is no chart called {name}; GET /api/v2/insights/charts lists them.");
    Err(Error::new(ErrorKind::NotFound, "not_found", text).into())
}
