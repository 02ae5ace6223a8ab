//! /api/v1/video_clips

mod content;
mod list;
