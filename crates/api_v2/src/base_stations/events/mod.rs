//! /api/v2/base_stations/{id}/events

pub mod get;
pub mod list;
