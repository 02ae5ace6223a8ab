//! /api/v2/user_preferences/relationships/default_view

pub mod get;
pub mod replace;
