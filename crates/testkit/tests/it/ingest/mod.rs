//! /ingest/v1

mod age;
mod commands;
mod events;
mod video_clips;
