//! The time zones of the sites of visits.

use std::collections::{BTreeSet, HashMap};

use app::{App, Error};
use domain::access::ReadRegistry;
use domain::{TimeZone, Visit, Worksite, WorksiteId};

use crate::frame::Frame;

/// The time zones of sites. What has no site is shown in that of the reader.
pub struct SiteZones {
    own: TimeZone,
    zones: HashMap<WorksiteId, TimeZone>,
}

impl SiteZones {
    pub async fn of(app: &App, frame: &Frame, visits: &[Visit]) -> Result<Self, Error> {
        let sites = visits.iter().filter_map(|visit| visit.worksite.as_ref()).map(|site| site.id);
        let sites: Vec<WorksiteId> = sites.collect::<BTreeSet<_>>().into_iter().collect();
        let found = app.find_worksites_by_id(&frame.caller::<ReadRegistry>()?, &sites).await?;
        let zone = |site: Worksite| Some((site.id, TimeZone::parse(&site.time_zone).ok()?));
        Ok(Self {
            own: frame.preferences.time_zone.clone(),
            zones: found.into_iter().filter_map(zone).collect(),
        })
    }

    pub fn zone_of(&self, visit: &Visit) -> &TimeZone {
        let known = visit.worksite.as_ref().and_then(|site| self.zones.get(&site.id));
        known.unwrap_or(&self.own)
    }
}
