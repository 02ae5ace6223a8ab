//! /api/v2

mod base_stations;
mod jwt;
mod login;
mod refresh;
