//! Attribution of facts by the links that were in force at their time.

use domain::{
    Attribution, BaseStationId, Coordinates, PersonId, ProjectId, TagId, TimeZone, Timestamp, WorksiteId,
};
use geography::Position;
use h3o::{LatLng, Resolution};

use super::attribution_cache::{AttributionCache, LinkPeriod, Term};

impl AttributionCache {
    /// Attributes an incursion.
    pub fn attribute(
        &self,
        station: BaseStationId,
        tag: TagId,
        operator_tag: Option<TagId>,
        place: Option<Coordinates>,
        at: Timestamp,
    ) -> Attribution {
        let machine = LinkPeriod::at(self.installations.get(&station).map_or(&[], Vec::as_slice), at);
        let around = place.and_then(|place| self.site_index.site_at(Position::from_coordinates(place), at));
        let worksite = around
            .or_else(|| LinkPeriod::at(self.machine_sites.get(&machine?).map_or(&[], Vec::as_slice), at));
        let (zone, project) = self.zone_and_project_at(worksite, at);
        let local = zone.local(at);
        Attribution {
            machine,
            pedestrian: self.wearer(tag, at),
            operator: operator_tag.and_then(|tag| self.wearer(tag, at)),
            worksite,
            project,
            local_day: local.day,
            local_minute: local.minute_of_week(),
            cell: place.and_then(cell),
        }
    }

    /// Attributes a moment of runtime. Runtime has no position, so the machine's assigned worksite counts.
    pub fn attribute_runtime(
        &self,
        station: BaseStationId,
        operator_tag: Option<TagId>,
        at: Timestamp,
    ) -> Attribution {
        // Runtime involves nobody on foot.
        self.attribute(station, TagId(0), operator_tag, None, at)
    }

    /// Returns the person who wore a tag.
    pub fn wearer(&self, tag: TagId, at: Timestamp) -> Option<PersonId> {
        LinkPeriod::at(self.wearers.get(&tag).map_or(&[], Vec::as_slice), at)
    }

    /// Returns the time zone and the project of a worksite at a time; without a worksite, the brand's time zone.
    pub fn zone_and_project_at(
        &self,
        worksite: Option<WorksiteId>,
        at: Timestamp,
    ) -> (&TimeZone, Option<ProjectId>) {
        let term = worksite.and_then(|site| term_at(self.terms.get(&site)?, at));
        term.map_or((&self.brand_time_zone, None), |term| (&term.time_zone, term.project))
    }
}

/// Returns the term in force at a time. Before the first term, the first one is the best guess.
pub(super) fn term_at(terms: &[Term], at: Timestamp) -> Option<&Term> {
    let after = terms.partition_point(|term| term.from <= at);
    terms.get(after.saturating_sub(1))
}

/// Returns the H3 cell of a position at resolution 13.
fn cell(place: Coordinates) -> Option<i64> {
    let at = LatLng::new(place.lat(), place.lon()).ok()?;
    i64::try_from(u64::from(at.to_cell(Resolution::Thirteen))).ok()
}
