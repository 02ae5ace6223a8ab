//! /api/v2/base_stations

mod events;
mod get;
mod gps_tracks;
mod list;

use testkit::{Account, Reply};

use crate::ingest::events::BerlinYard;

async fn get(yard: &BerlinYard, user: &Account, path: &str) -> Reply {
    yard.app.get(&format!("/api/v2/base_stations{path}")).bearer(&user.jwt).send().await
}
