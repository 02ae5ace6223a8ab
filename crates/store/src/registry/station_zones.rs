//! The zone radii of base stations over time, so that a sudden change in a rate can be explained.

use domain::row::FromRow;
use domain::{AntennaZones, BaseStationId, Page, PageRequest, StationZones, Timestamp};

use crate::engine::page::{self, Count, Keyed};
use crate::engine::row::Row;
use crate::engine::statement::sql;
use crate::{Error, Scope, Tx};

const COLUMNS: &str =
    "select id, base_station_id, antenna, warning_cm, danger_cm, from_at, to_at, created_at,
    coalesce(updated_at, created_at) as updated_at from base_station_zones";

impl FromRow<Row> for AntennaZones {
    fn from_row(row: &Row) -> Result<Self, Error> {
        Ok(Self {
            antenna: row.get("antenna")?,
            warning: row.get("warning_cm")?,
            danger: row.get("danger_cm")?,
        })
    }
}

impl Keyed for StationZones {
    // Zones that are set again supersede those that start later, so the ids of a station are in order of time.
    fn key(&self) -> (&str, i64) {
        ("", self.id)
    }
}

/// The zones of a brand's base stations. Writers must hold the brand's lock.
pub struct ZonesOfStations<'a>(&'a mut Tx, &'a Scope);

impl Tx {
    pub fn station_zones<'a>(&'a mut self, scope: &'a Scope) -> ZonesOfStations<'a> {
        ZonesOfStations(self, scope)
    }
}

#[macros::boxed]
impl ZonesOfStations<'_> {
    /// Adds zones for a period, which may be open.
    pub async fn open(
        &mut self,
        station: BaseStationId,
        zones: &AntennaZones,
        (from, to): (Timestamp, Option<Timestamp>),
        now: Timestamp,
    ) -> Result<(), Error> {
        self.0
            .execute(sql!(
                "insert into base_station_zones (brand_id, base_station_id, antenna, warning_cm, danger_cm, from_at,
                     created_at, to_at)
                 values ($1, $2, $3, $4, $5, $6, $7, $8)",
                self.1.brand(),
                station,
                zones.antenna.as_str(),
                zones.warning.centimetres(),
                zones.danger.centimetres(),
                from,
                now,
                to
            ))
            .await?;
        Ok(())
    }

    /// Sets the end, which must be after the start, or reopens the zones.
    pub async fn end(&mut self, id: i64, to: Option<Timestamp>, now: Timestamp) -> Result<(), Error> {
        self.0
            .execute(sql!(
                "update base_station_zones set to_at = $3, updated_at = $4 where brand_id = $1 and id = $2",
                self.1.brand(),
                id,
                to,
                now
            ))
            .await?;
        Ok(())
    }

    /// Deletes zones that are superseded as a whole.
    pub async fn remove(&mut self, id: i64) -> Result<(), Error> {
        self.0
            .execute(sql!(
                "delete from base_station_zones where brand_id = $1 and id = $2",
                self.1.brand(),
                id
            ))
            .await?;
        Ok(())
    }

    /// Returns the zones of a station at a time and later, oldest first.
    pub async fn since(&mut self, station: BaseStationId, at: Timestamp) -> Result<Vec<StationZones>, Error> {
        self.0
            .all(sql!(COLUMNS).push_with(
                " where brand_id = $? and base_station_id = $? and (to_at is null or to_at > $?) order by from_at, id",
                [self.1.brand().into(), station.into(), at.into()],
            ))
            .await
    }

    /// Returns the latest end of a station's zones; open zones count as one microsecond after their start.
    pub async fn last_change(&mut self, station: BaseStationId) -> Result<Option<Timestamp>, Error> {
        #[derive(macros::FromRow)]
        struct Step(#[row(column = "step")] Option<Timestamp>);
        let Step(step) = self
            .0
            .one(sql!(
                "select max(coalesce(to_at, from_at + 1)) as step from base_station_zones
                 where brand_id = $1 and base_station_id = $2",
                self.1.brand(),
                station
            ))
            .await?;
        Ok(step)
    }

    /// Returns the open zones of stations, ordered by antenna.
    pub async fn open_of(&mut self, stations: &[BaseStationId]) -> Result<Vec<StationZones>, Error> {
        if stations.is_empty() {
            return Ok(Vec::new());
        }
        let mut statement = sql!(COLUMNS).push_with(
            " where brand_id = $? and to_at is null and base_station_id in (",
            [self.1.brand().into()],
        );
        for (index, station) in stations.iter().enumerate() {
            statement = statement.push_with(if index == 0 { "$?" } else { ", $?" }, [(*station).into()]);
        }
        let mut found: Vec<StationZones> = self.0.all(statement.push(")")).await?;
        found.sort_by_cached_key(|zones| (zones.zones.antenna.key(), zones.id));
        Ok(found)
    }

    /// Returns a page of a station's zones, newest first.
    pub async fn page(
        &mut self,
        station: BaseStationId,
        page: &PageRequest,
    ) -> Result<Page<StationZones>, Error> {
        let list = format!("station_zones {station}");
        let statement = sql!(COLUMNS).push_with(
            " where brand_id = $? and base_station_id = $?",
            [self.1.brand().into(), station.into()],
        );
        let order = (" and id < $?", " order by id desc");
        let rows = self.0.all(page::order_by_id(statement, order, &list, page)?).await?;
        Ok(page::into_page(rows, &list, page))
    }

    pub async fn count(&mut self, station: BaseStationId) -> Result<i64, Error> {
        let Count(count) = self
            .0
            .one(sql!(
                "select count(*) as count from base_station_zones where brand_id = $1 and base_station_id = $2",
                self.1.brand(),
                station
            ))
            .await?;
        Ok(count)
    }
}
