//! The GPS tracks of stations in chunks of a quarter of an hour, and the last position of each station.

use domain::row::FromRow;
use domain::{BaseStationId, Coordinates, StationPosition, Timestamp};

use crate::engine::dialect::{BulkStatement, Rows};
use crate::engine::row::Row;
use crate::engine::statement::sql;
use crate::{Error, Scope, Tx};

/// A station's positions within a quarter of an hour. Only the crate `tracks` reads the bytes.
#[derive(Clone, Debug, macros::FromRow)]
pub struct GpsChunk {
    #[row(column = "base_station_id")]
    pub base_station: BaseStationId,
    /// Quarters of an hour since 1970.
    pub quarter: i64,
    /// Number of positions.
    pub fixes: i64,
    pub first_at: Timestamp,
    pub last_at: Timestamp,
    /// All positions, compressed.
    pub bytes: Vec<u8>,
}

/// The number of positions in a chunk.
#[derive(Clone, Copy, Debug, macros::FromRow)]
pub struct GpsChunkSize {
    #[row(column = "base_station_id")]
    pub base_station: BaseStationId,
    /// Quarters of an hour since 1970.
    pub quarter: i64,
    pub fixes: i64,
}

impl FromRow<Row> for StationPosition {
    fn from_row(row: &Row) -> Result<Self, Error> {
        let place: Option<Coordinates> = row.get_columns(["lat_e7", "lon_e7"])?;
        Ok(Self {
            base_station: row.get("base_station_id")?,
            at: row.get("at")?,
            position: place
                .ok_or_else(|| Error::Unusable("a stored position is missing or out of range".to_owned()))?,
        })
    }
}

const SELECT: BulkStatement = BulkStatement {
    before: "select c.base_station_id, c.quarter, c.fixes, c.first_at, c.last_at, c.bytes from ",
    after: "cross join gps_chunks c
            where c.brand_id = v.column1 and c.base_station_id = v.column2 and c.quarter = v.column3",
};

const SELECT_SIZES: BulkStatement = BulkStatement {
    before: "select c.base_station_id, c.quarter, c.fixes from ",
    after: "cross join gps_chunks c where c.brand_id = v.column1 and c.base_station_id = v.column2
            and c.quarter >= v.column3 and c.quarter <= v.column4",
};

const UPSERT: BulkStatement = BulkStatement {
    before: "insert into gps_chunks (brand_id, base_station_id, quarter, fixes, first_at, last_at, bytes) select * from ",
    after: "where true on conflict (brand_id, base_station_id, quarter) do update set fixes = excluded.fixes,
                first_at = excluded.first_at, last_at = excluded.last_at, bytes = excluded.bytes",
};

const UPSERT_POSITION: BulkStatement = BulkStatement {
    before: "insert into station_positions (base_station_id, brand_id, at, lat_e7, lon_e7) select * from ",
    after:
        "where true on conflict (base_station_id) do update set at = excluded.at, lat_e7 = excluded.lat_e7,
                lon_e7 = excluded.lon_e7
            where excluded.at > station_positions.at",
};

/// The positions of a brand's stations, regardless of project: for ingest, for jobs, and for callers that have already
/// checked that the station is visible.
pub struct GpsChunks<'a>(&'a mut Tx, &'a Scope);

impl Tx {
    pub fn gps_chunks<'a>(&'a mut self, scope: &'a Scope) -> GpsChunks<'a> {
        GpsChunks(self, scope)
    }
}

#[macros::boxed]
impl GpsChunks<'_> {
    /// Finds the chunks of pairs of a station and a quarter.
    pub async fn find_many(&mut self, all: &[(BaseStationId, i64)]) -> Result<Vec<GpsChunk>, Error> {
        let brand = self.1.brand();
        let rows = Rows::default()
            .column(all.iter().map(|_| brand))
            .column(all.iter().map(|(station, _)| *station))
            .column(all.iter().map(|(_, quarter)| *quarter));
        self.0.query_bulk(SELECT, rows).await
    }

    /// Returns the sizes of the chunks of stations, each between two quarters, both included. A chunk in two ranges is returned twice.
    pub async fn sizes_in(
        &mut self,
        ranges: &[(BaseStationId, i64, i64)],
    ) -> Result<Vec<GpsChunkSize>, Error> {
        let brand = self.1.brand();
        let rows = Rows::default()
            .column(ranges.iter().map(|_| brand))
            .column(ranges.iter().map(|(station, ..)| *station))
            .column(ranges.iter().map(|(_, first, _)| *first))
            .column(ranges.iter().map(|(.., last)| *last));
        self.0.query_bulk(SELECT_SIZES, rows).await
    }

    /// Stores chunks and replaces those that exist.
    pub async fn upsert(&mut self, all: Vec<GpsChunk>) -> Result<(), Error> {
        let brand = self.1.brand();
        let rows = Rows::default()
            .column(all.iter().map(|_| brand))
            .column(all.iter().map(|chunk| chunk.base_station))
            .column(all.iter().map(|chunk| chunk.quarter))
            .column(all.iter().map(|chunk| chunk.fixes))
            .column(all.iter().map(|chunk| chunk.first_at))
            .column(all.iter().map(|chunk| chunk.last_at))
            .column(all.into_iter().map(|chunk| chunk.bytes));
        self.0.execute_bulk(UPSERT, rows).await?;
        Ok(())
    }

    /// Returns the last positions of those stations that have reported one.
    pub async fn last_positions(&mut self, of: &[BaseStationId]) -> Result<Vec<StationPosition>, Error> {
        let statement =
            sql!("select base_station_id, at, lat_e7, lon_e7 from station_positions where brand_id = $1")
                .bind(self.1.brand())
                .and_in("base_station_id", of.iter().copied());
        self.0.all(statement).await
    }

    /// Stores positions that are later than the ones known.
    pub async fn record_positions(&mut self, all: &[StationPosition]) -> Result<(), Error> {
        let brand = self.1.brand();
        let rows = Rows::default()
            .column(all.iter().map(|position| position.base_station))
            .column(all.iter().map(|_| brand))
            .column(all.iter().map(|position| position.at))
            .column(all.iter().map(|position| i64::from(position.position.lat_e7)))
            .column(all.iter().map(|position| i64::from(position.position.lon_e7)));
        self.0.execute_bulk(UPSERT_POSITION, rows).await?;
        Ok(())
    }
}
