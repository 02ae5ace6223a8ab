//! /ingest/v1

mod age;
pub mod events;
