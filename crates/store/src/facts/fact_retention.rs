//! Deletes facts that are older than a brand's retention, and stores the watermarks of periodic work on facts.

use domain::Timestamp;

use crate::engine::statement::sql;
use crate::{Error, Scope, Tx};

/// A kind of fact that is deleted by age. Video is not one of them, because its stored bytes must be deleted too; see
/// `video_clips.rs`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RetentionKind {
    /// Incursions with their history and reviews.
    Incursions,
    /// Runtime pieces with their history, and the reports they are derived from.
    Runtime,
    /// GPS tracks.
    Tracks,
    /// Device events.
    Events,
    /// Messages to cabs.
    Messages,
    /// Tag tests, except the last one of each tag.
    Tests,
}

/// The progress of periodic work on a brand's facts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FactWatermark {
    /// Incursions that started before this have been deleted, or are about to be. They do not count.
    IncursionsKeptFrom,
    /// The same for runtime.
    RuntimeKeptFrom,
    /// Incursions that started before this and have no end were closed.
    IncursionsClosedUntil,
}

impl FactWatermark {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::IncursionsKeptFrom => "incursions_kept_from",
            Self::RuntimeKeptFrom => "runtime_kept_from",
            Self::IncursionsClosedUntil => "incursions_closed_until",
        }
    }
}

/// The mark of the change that copies of facts must include ([`crate::FactState::copies_since`]). Its value is a sequence number.
pub(crate) const COPIES_SINCE: &str = "copies_since";

/// The retention and the watermarks of a brand's facts.
pub struct FactRetention<'a>(&'a mut Tx, &'a Scope);

impl Tx {
    pub fn fact_retention<'a>(&'a mut self, scope: &'a Scope) -> FactRetention<'a> {
        FactRetention(self, scope)
    }
}

#[macros::boxed]
impl FactRetention<'_> {
    /// Deletes the oldest facts of a kind from before a time, at limit `limit` of them, and returns how many were deleted.
    pub async fn delete_expired(
        &mut self,
        fact: RetentionKind,
        before: Timestamp,
        limit: i64,
    ) -> Result<u64, Error> {
        let brand = self.1.brand();
        let mut run = async |text, before: i64| self.0.execute(sql!(text, brand, before, limit)).await;
        let micros = before.micros();
        match fact {
            RetentionKind::Incursions => {
                for text in [
                    "delete from incursion_history where brand_id = $1 and incursion_id in (select id from incursions
                         where brand_id = $1 and started_at < $2 order by started_at, id limit $3)",
                    "delete from incursion_reviews where brand_id = $1 and incursion_id in (select id from incursions
                         where brand_id = $1 and started_at < $2 order by started_at, id limit $3)",
                ] {
                    run(text, micros).await?;
                }
                run(
                    "delete from incursions where id in (select id from incursions
                         where brand_id = $1 and started_at < $2 order by started_at, id limit $3)",
                    micros,
                )
                .await
            }
            RetentionKind::Runtime => {
                run(
                    "delete from runtime_history where brand_id = $1 and piece_id in (select id from runtime_pieces
                         where brand_id = $1 and started_at < $2 order by started_at, id limit $3)",
                    micros,
                )
                .await?;
                let pieces = run(
                    "delete from runtime_pieces where id in (select id from runtime_pieces
                         where brand_id = $1 and started_at < $2 order by started_at, id limit $3)",
                    micros,
                )
                .await?;
                // A report is needed as long as its pieces may have to be derived again.
                let reports = run(
                    "delete from runtime_reports where brand_id = $1 and ended_at < $2 and (base_station_id, started_at) in (
                         select base_station_id, started_at from runtime_reports where brand_id = $1 and ended_at < $2
                         order by base_station_id, started_at limit $3)",
                    micros,
                )
                .await?;
                Ok(pieces + reports)
            }
            RetentionKind::Tracks => {
                run(
                    "delete from gps_chunks where id in (select id from gps_chunks
                         where brand_id = $1 and quarter < $2 order by quarter limit $3)",
                    micros.div_euclid(900_000_000),
                )
                .await
            }
            RetentionKind::Events => {
                run(
                    "delete from device_events where id in (select id from device_events
                         where brand_id = $1 and at < $2 order by at limit $3)",
                    micros,
                )
                .await
            }
            RetentionKind::Messages => {
                run(
                    "delete from messages where id in (select id from messages
                         where brand_id = $1 and queued_at < $2 and expires_at < $2 order by id limit $3)",
                    micros,
                )
                .await
            }
            RetentionKind::Tests => {
                run(
                    "delete from tag_tests where id in (select t.id from tag_tests t
                         where t.brand_id = $1 and t.tested_at < $2 and exists (select 1 from tag_tests n
                             where n.brand_id = $1 and n.tag_id = t.tag_id and (n.tested_at, n.id) > (t.tested_at, t.id))
                         order by t.id limit $3)",
                    micros,
                )
                .await
            }
        }
    }

    /// Returns the watermark, or none if the work has never run.
    pub async fn watermark(&mut self, mark: FactWatermark) -> Result<Option<Timestamp>, Error> {
        #[derive(macros::FromRow)]
        struct Mark(#[row(column = "at")] Timestamp);
        let found: Option<Mark> = self
            .0
            .optional(sql!(
                "select at from fact_marks where brand_id = $1 and mark = $2",
                self.1.brand(),
                mark.as_str()
            ))
            .await?;
        Ok(found.map(|Mark(at)| at))
    }

    /// Raises the watermark; a lower value is ignored.
    pub async fn raise_watermark(&mut self, mark: FactWatermark, at: Timestamp) -> Result<(), Error> {
        self.0
            .execute(sql!(
                "insert into fact_marks (brand_id, mark, at) values ($1, $2, $3)
                 on conflict (brand_id, mark) do update set at = excluded.at where excluded.at > fact_marks.at",
                self.1.brand(),
                mark.as_str(),
                at
            ))
            .await?;
        Ok(())
    }

    /// Deletes a watermark that has this value, and returns whether it did. Copies of the facts must be made anew then: they may have left
    /// out what counts from then on, or still have facts that were deleted.
    pub async fn delete_watermark(&mut self, mark: FactWatermark, at: Timestamp) -> Result<bool, Error> {
        let deleted = self
            .0
            .execute(sql!(
                "delete from fact_marks where brand_id = $1 and mark = $2 and at = $3",
                self.1.brand(),
                mark.as_str(),
                at
            ))
            .await?;
        Ok(deleted > 0)
    }

    /// Requires that copies of the facts which do not include this change are made anew.
    pub async fn outdate_copies(&mut self, before: i64) -> Result<(), Error> {
        self.0
            .execute(sql!(
                "insert into fact_marks (brand_id, mark, at) values ($1, $2, $3)
                 on conflict (brand_id, mark) do update set at = excluded.at where excluded.at > fact_marks.at",
                self.1.brand(),
                COPIES_SINCE,
                before
            ))
            .await?;
        Ok(())
    }
}
