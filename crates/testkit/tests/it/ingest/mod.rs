//! /ingest/v1

mod age;
mod events;
