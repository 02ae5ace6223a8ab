//! Bare dates as bounds of a query: local days of the worksite, or of the brand for what has no worksite.

use domain::{
    BaseStationId, LocalBound, MachineId, PeriodBound, TimeZone, Timestamp, VisitFilter, VisitPeriod,
};
use store::{Scope, Tx};

use crate::Error;

/// The bounds of a period, as a query gives them.
pub(crate) type Bounds = (Option<PeriodBound>, Option<PeriodBound>);

/// Resolves bounds about a station by the time zone of the worksite where its machine is now.
pub(crate) async fn resolve_for_station(
    tx: &mut Tx,
    scope: &Scope,
    station: BaseStationId,
    bounds: Bounds,
) -> Result<(Option<Timestamp>, Option<Timestamp>), Error> {
    if !has_days(bounds) {
        return Ok(instants(bounds, &TimeZone::utc()));
    }
    let found = tx.base_stations(scope).find(station).await?;
    let machine = found.and_then(|station| station.machine).map(|(id, ..)| id);
    let zone = find_zone(tx, scope, machine).await?;
    Ok(instants(bounds, &zone))
}

/// Resolves bounds about a machine by the time zone of the worksite where it is now.
pub(crate) async fn resolve_for_machine(
    tx: &mut Tx,
    scope: &Scope,
    machine: MachineId,
    bounds: Bounds,
) -> Result<(Option<Timestamp>, Option<Timestamp>), Error> {
    if !has_days(bounds) {
        return Ok(instants(bounds, &TimeZone::utc()));
    }
    let zone = find_zone(tx, scope, Some(machine)).await?;
    Ok(instants(bounds, &zone))
}

/// Resolves bounds about what has no worksite by the time zone of the brand.
pub(crate) async fn resolve_for_brand(
    tx: &mut Tx,
    scope: &Scope,
    bounds: Bounds,
) -> Result<(Option<Timestamp>, Option<Timestamp>), Error> {
    if !has_days(bounds) {
        return Ok(instants(bounds, &TimeZone::utc()));
    }
    let zone = tx.brand_settings(scope).await?.values.time_zone;
    Ok(instants(bounds, &zone))
}

/// Resolves the period of visits, each by the time zone of its worksite.
pub(crate) async fn resolve_for_visits(
    tx: &mut Tx,
    scope: &Scope,
    filter: &VisitFilter,
) -> Result<VisitPeriod, Error> {
    let bounds = (filter.from, filter.to);
    let (zones, brand) = if has_days(bounds) {
        let names = tx.visitor_sessions(scope).time_zones().await?;
        let zones = names.iter().map(|name| TimeZone::parse(name)).collect::<Result<Vec<_>, _>>();
        (zones.map_err(Error::internal)?, tx.brand_settings(scope).await?.values.time_zone)
    } else {
        (Vec::new(), TimeZone::utc())
    };
    let resolve = |bound| LocalBound::new(bound, &zones, &brand);
    Ok(VisitPeriod { from: filter.from.map(resolve), to: filter.to.map(resolve) })
}

fn has_days((from, to): Bounds) -> bool {
    [from, to].into_iter().flatten().any(PeriodBound::is_day)
}

fn instants((from, to): Bounds, zone: &TimeZone) -> (Option<Timestamp>, Option<Timestamp>) {
    (from.map(|from| from.instant_in(zone)), to.map(|to| to.instant_in(zone)))
}

/// Returns the time zone of the worksite where the machine is now, or of the brand.
async fn find_zone(tx: &mut Tx, scope: &Scope, machine: Option<MachineId>) -> Result<TimeZone, Error> {
    let machine = match machine {
        Some(machine) => tx.machines(scope).find(machine).await?,
        None => None,
    };
    if let Some((worksite, _)) = machine.and_then(|machine| machine.worksite)
        && let Some(site) = tx.worksites(scope).find_without_boundary(worksite).await?
    {
        return TimeZone::parse(&site.time_zone).map_err(Error::internal);
    }
    Ok(tx.brand_settings(scope).await?.values.time_zone)
}
