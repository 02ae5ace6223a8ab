//! What is no chart.

use app::{Error, ErrorKind};
use domain::access::ReadInsights;
use web::{Caller, PathText, Result};

/// Says that there is no chart of that name, and where the names stand.
pub async fn no_such_chart(Caller(_): Caller<ReadInsights>, PathText(name): PathText) -> Result {
    let name: String = name.chars().filter(|letter| !letter.is_control()).take(64).collect();
    let text = format!("There is no chart called {name}; GET /api/v2/insights/charts lists them.");
    Err(Error::new(ErrorKind::NotFound, "not_found", text).into())
}
