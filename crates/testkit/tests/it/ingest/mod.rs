//! /ingest/v1

mod commands;
mod video_clips;
