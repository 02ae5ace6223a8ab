//! /ingest/v1

mod age;
mod commands;
pub mod events;
mod video_clips;
