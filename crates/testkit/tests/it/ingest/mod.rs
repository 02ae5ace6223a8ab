//! /ingest/v1

mod commands;
pub mod events;
mod retention;
mod video_clips;
