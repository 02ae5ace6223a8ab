//! The processes that run over this database, as each says of itself.

use domain::{Host, HostRole, Span, Timestamp};

use crate::engine::statement::sql;
use crate::{Error, Platform, Tx};

/// What a process says of itself.
#[derive(Clone, Copy, Debug)]
pub struct HostHeartbeat<'a> {
    pub id: &'a str,
    pub name: &'a str,
    pub role: HostRole,
    pub version: &'a str,
    pub key_id: &'a str,
    pub clock_offset: Span,
    pub max_connections: u32,
    pub feed_lag: Option<Span>,
    pub started_at: Timestamp,
}

#[derive(macros::FromRow)]
struct DatabaseTime(#[row(column = "at")] Timestamp);

/// The table of processes.
pub struct Hosts<'a>(&'a mut Tx);

impl Tx {
    pub fn hosts(&mut self, _: &Platform) -> Hosts<'_> {
        Hosts(self)
    }
}

#[macros::boxed]
impl Hosts<'_> {
    /// Returns the time by the clock of the database.
    pub async fn database_time(&mut self) -> Result<Timestamp, Error> {
        let clock = self.0.database_clock();
        let DatabaseTime(at) = self.0.one(sql!("select ").push(clock).push(" as at")).await?;
        Ok(at)
    }

    /// Stores what a process says of itself.
    pub async fn record(&mut self, heartbeat: &HostHeartbeat<'_>) -> Result<(), Error> {
        let clock = self.0.database_clock();
        let statement = sql!(
            "insert into hosts (id, name, role, version, key_id, clock_offset_us, max_connections, feed_lag_us,
                 started_at, seen_at)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, ",
            heartbeat.id,
            heartbeat.name,
            heartbeat.role.as_str(),
            heartbeat.version,
            heartbeat.key_id,
            heartbeat.clock_offset.micros(),
            i64::from(heartbeat.max_connections),
            heartbeat.feed_lag.map(Span::micros),
            heartbeat.started_at
        );
        let statement = statement.push(clock).push(
            ") on conflict (id) do update set name = excluded.name, key_id = excluded.key_id,
                 clock_offset_us = excluded.clock_offset_us, max_connections = excluded.max_connections,
                 feed_lag_us = excluded.feed_lag_us, seen_at = excluded.seen_at",
        );
        self.0.execute(statement).await?;
        Ok(())
    }

    /// Lists all processes that are known.
    pub async fn all(&mut self) -> Result<Vec<Host>, Error> {
        let clock = self.0.database_clock();
        let statement = sql!(
            "select id, name, role, version, key_id, clock_offset_us, max_connections, feed_lag_us, started_at, "
        );
        self.0.all(statement.push(clock).push(" - seen_at as seen_ago_us from hosts")).await
    }

    /// Deletes a process that stops.
    pub async fn delete(&mut self, id: &str) -> Result<(), Error> {
        self.0.execute(sql!("delete from hosts where id = $1", id)).await?;
        Ok(())
    }

    /// Deletes the processes that have said nothing for this long.
    pub async fn delete_silent(&mut self, after: Span) -> Result<(), Error> {
        let clock = self.0.database_clock();
        let statement = sql!("delete from hosts where seen_at + $1 < ", after.micros()).push(clock);
        self.0.execute(statement).await?;
        Ok(())
    }

    /// Deletes all processes: those of a backup do not run here.
    pub async fn delete_all(&mut self) -> Result<(), Error> {
        self.0.execute(sql!("delete from hosts")).await?;
        Ok(())
    }
}
