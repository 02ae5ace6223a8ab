//! What the server of the database says of itself: its clock, and how many connections it has and allows.

use domain::ServerConnections;

use crate::Error;
use crate::engine::statement::sql;
use crate::engine::tx::Tx;

#[macros::boxed]
impl Tx {
    /// Returns the expression of the current time by the clock of the database, in microseconds. On SQLite it is the clock of this host.
    pub(crate) fn database_clock(&self) -> &'static str {
        if self.is_postgres() {
            "cast(extract(epoch from clock_timestamp()) * 1000000 as bigint)"
        } else {
            "cast(unixepoch('now', 'subsec') * 1000000 as integer)"
        }
    }

    /// Counts the connections of the server, whoever has them, and those that it allows to the user of this one. SQLite has no server.
    pub async fn server_connections(&mut self) -> Result<Option<ServerConnections>, Error> {
        if !self.is_postgres() {
            return Ok(None);
        }
        // The sum over all databases: the sessions of other users cannot be told apart without privileges.
        let connections = self
            .one(sql!(
                "select (select cast(coalesce(sum(numbackends), 0) as bigint) from pg_stat_database) as open,
                     least(
                         cast(current_setting('max_connections') as bigint)
                             - cast(current_setting('superuser_reserved_connections') as bigint)
                             - cast(coalesce(current_setting('reserved_connections', true), '0') as bigint),
                         (select cast(nullif(rolconnlimit, -1) as bigint) from pg_roles where rolname = current_user),
                         (select cast(nullif(datconnlimit, -1) as bigint) from pg_database
                             where datname = current_database())
                     ) as allowed"
            ))
            .await?;
        Ok(Some(connections))
    }
}
