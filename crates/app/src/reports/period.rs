//! The periods that reports can be about.

use domain::insights::IncursionFilter;
use domain::{Invalid, PeriodBound, TimeZone, Timestamp};
use store::Scope;

use crate::{App, Error};

/// The start and the end of a period; or what is wrong with the bound of this name.
pub(super) type ReportPeriod = Result<(PeriodBound, PeriodBound), (&'static str, Invalid)>;

impl App {
    /// Resolves the period of a report; one without an end ends now. Insights answer an empty period with zeros, but a document would
    /// name a last day before its first, so that it is refused.
    pub(super) async fn resolve_report_period(
        &self,
        scope: &Scope,
        filter: &IncursionFilter,
        now: Timestamp,
    ) -> Result<ReportPeriod, Error> {
        let (from, to) = match self.resolve_period(scope, filter, now).await? {
            Ok(bounds) => bounds,
            Err(fault) => return Ok(Err(fault)),
        };
        let end = to.unwrap_or(PeriodBound::Instant(now));
        let mut zones = Vec::new();
        if from.is_day() != end.is_day() {
            let mut tx = self.store.read().await?;
            let names = tx.worksites(scope).time_zones_of(filter).await?;
            zones.extend(names.iter().filter_map(|name| TimeZone::parse(name).ok()));
            // Without worksites, days are the brand's.
            if zones.is_empty() {
                zones.push(tx.brand_settings(scope).await?.values.time_zone);
            }
        }
        if !from.leaves_no_time(end, &zones) {
            return Ok(Ok((from, end)));
        }
        let invalid = |text: &'static str| Invalid::new("out_of_range", text);
        Ok(Err(match to {
            Some(_) => ("to", invalid("must come after from")),
            None => ("from", invalid("must not be in the future if to is left out")),
        }))
    }
}
