//! Text messages to cabs, and the receipts of their delivery.

use domain::event::ReceiptState;
use domain::message::DeliveryProgress;
use domain::row::FromRow;
use domain::{BaseStationId, Message, MessageId, MessageText, Page, PageRequest, Timestamp, UserId};

use crate::engine::page::{self, Count, Keyed};
use crate::engine::row::{Id, Row};
use crate::engine::statement::{Statement, sql};
use crate::{Error, Scope, Tx, VisibleStation};

const COLUMNS: &str =
    "select m.id, m.base_station_id, s.serial, m.body, m.sent_by, u.kind as sender_kind, u.name, m.queued_at, m.expires_at, m.delivered_at,
    m.displayed_at, m.acknowledged_at, m.updated_at";

const TABLES: &str =
    " from messages m join base_stations s on s.id = m.base_station_id join users u on u.id = m.sent_by";

impl FromRow<Row> for DeliveryProgress {
    fn from_row(row: &Row) -> Result<Self, Error> {
        Ok(Self {
            expires_at: row.get("expires_at")?,
            delivered_at: row.get("delivered_at")?,
            displayed_at: row.get("displayed_at")?,
            acknowledged_at: row.get("acknowledged_at")?,
        })
    }
}

impl Keyed for Message {
    fn key(&self) -> (&str, i64) {
        ("", self.id.0)
    }
}

/// The messages of a brand. The caller must have checked that the station is visible.
pub struct Messages<'a>(&'a mut Tx, &'a Scope);

impl Tx {
    pub fn messages<'a>(&'a mut self, scope: &'a Scope) -> Messages<'a> {
        Messages(self, scope)
    }
}

#[macros::boxed]
impl Messages<'_> {
    pub async fn add(
        &mut self,
        station: BaseStationId,
        text: &MessageText,
        by: UserId,
        (now, expires_at): (Timestamp, Timestamp),
    ) -> Result<Message, Error> {
        let Id(id) = self
            .0
            .one::<Id<MessageId>>(sql!(
                "insert into messages (brand_id, base_station_id, body, sent_by, queued_at, expires_at, updated_at)
                 values ($1, $2, $3, $4, $5, $6, $5) returning id",
                self.1.brand(),
                station,
                text.as_str(),
                by,
                now,
                expires_at
            ))
            .await?;
        self.0.one(sql!(COLUMNS).push(TABLES).push_with(" where m.id = $?", [id.into()])).await
    }

    /// Returns a page of a station's messages from the times at which the station was visible, newest first.
    pub async fn page(
        &mut self,
        station: &VisibleStation,
        page: &PageRequest,
    ) -> Result<Page<Message>, Error> {
        let list = format!("messages {}", station.id);
        let statement = self.of_station(sql!(COLUMNS), station);
        let order = (" and m.id < $?", " order by m.id desc");
        let rows = self.0.all(page::order_by_id(statement, order, &list, page)?).await?;
        Ok(page::into_page(rows, &list, page))
    }

    /// Counts a station's messages from the times at which the station was visible.
    pub async fn count(&mut self, station: &VisibleStation) -> Result<i64, Error> {
        let statement = self.of_station(sql!("select count(*) as count"), station);
        let Count(count) = self.0.one(statement).await?;
        Ok(count)
    }

    fn of_station(&self, statement: Statement, station: &VisibleStation) -> Statement {
        let of_station = " where m.brand_id = $? and m.base_station_id = $?";
        statement
            .push(TABLES)
            .push_with(of_station, [self.1.brand().into(), station.id.into()])
            .and_visible_at(station, "m.queued_at")
    }

    /// Returns the undelivered messages to a station, or to all stations of the brand, oldest first.
    pub async fn pending(
        &mut self,
        station: Option<BaseStationId>,
        now: Timestamp,
        limit: i64,
    ) -> Result<Vec<Message>, Error> {
        let mut statement = sql!(COLUMNS).push(TABLES).push_with(
            " where m.brand_id = $? and m.delivered_at is null and m.expires_at > $?",
            [self.1.brand().into(), now.into()],
        );
        if let Some(station) = station {
            statement = statement.push_with(" and m.base_station_id = $?", [station.into()]);
        }
        self.0.all(statement.push_with(" order by m.id limit $?", [limit.into()])).await
    }

    /// Records a receipt from a station; returns false if that station has no such message.
    ///
    /// Receipts arrive in any order and repeatedly. The earliest time of each state counts, and a later state implies the
    /// earlier ones, so the times never run backwards.
    pub async fn record_receipt(
        &mut self,
        station: BaseStationId,
        id: MessageId,
        state: ReceiptState,
        at: Timestamp,
    ) -> Result<bool, Error> {
        let (is_displayed, is_acknowledged) =
            (state != ReceiptState::Delivered, state == ReceiptState::Acknowledged);
        let touched = self
            .0
            .execute(sql!(
                "update messages set
                     delivered_at = case when delivered_at < $4 then delivered_at else $4 end,
                     displayed_at = case when not $5 or displayed_at < $4 then displayed_at else $4 end,
                     acknowledged_at = case when not $6 or acknowledged_at < $4 then acknowledged_at else $4 end,
                     updated_at = case when updated_at > $4 then updated_at else $4 end
                 where brand_id = $1 and base_station_id = $2 and id = $3",
                self.1.brand(),
                station,
                id,
                at,
                is_displayed,
                is_acknowledged
            ))
            .await?;
        Ok(touched > 0)
    }
}
