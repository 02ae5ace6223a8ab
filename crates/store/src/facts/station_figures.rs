//! Summary figures of a base station over a period.

use domain::row::FromRow;
use domain::{BaseStationId, Review, Span, StationFigures, Timestamp};

use crate::engine::row::Row;
use crate::engine::statement::sql;
use crate::{Error, Scope, Tx};

struct IncursionFigures(StationFigures);

impl FromRow<Row> for IncursionFigures {
    fn from_row(row: &Row) -> Result<Self, Error> {
        Ok(Self(StationFigures {
            incursions: row.get("incursions")?,
            acknowledged: row.get("acknowledged")?,
            ended: row.get("ended")?,
            exposure: row.get("exposure")?,
            pedestrians: row.get("pedestrians")?,
            operators: row.get("operators")?,
            runtime: Span::ZERO,
        }))
    }
}

#[derive(macros::FromRow)]
struct RuntimeTotal(#[row(column = "runtime")] Span);

#[macros::boxed]
impl Tx {
    /// Computes the figures of a station that was found in this scope, from what started at or after `from` and before `to`.
    pub async fn station_figures(
        &mut self,
        scope: &Scope,
        station: BaseStationId,
        from: Timestamp,
        to: Timestamp,
    ) -> Result<StationFigures, Error> {
        let statement = sql!(
            "select count(*) as incursions, count(acknowledged_at) as acknowledged, count(ended_at) as ended,
                 cast(coalesce(sum(ended_at - started_at), 0) as bigint) as exposure,
                 count(distinct pedestrian_id) as pedestrians, count(distinct operator_id) as operators
             from incursions
             where brand_id = $1 and base_station_id = $2 and started_at >= $3 and started_at < $4",
            scope.brand(),
            station,
            from,
            to
        );
        let statement = statement
            .and_in_projects(scope.projects(), "project_id")
            .and_in("review", Review::COUNTED.map(Review::code));
        let IncursionFigures(figures) = self.one(statement).await?;
        let statement = sql!(
            "select cast(coalesce(sum(ended_at - started_at), 0) as bigint) as runtime from runtime_pieces
             where brand_id = $1 and base_station_id = $2 and started_at >= $3 and started_at < $4",
            scope.brand(),
            station,
            from,
            to
        );
        let RuntimeTotal(runtime) =
            self.one(statement.and_in_projects(scope.projects(), "project_id")).await?;
        Ok(StationFigures { runtime, ..figures })
    }
}
