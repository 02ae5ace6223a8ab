//! /ingest/v1

mod events;
