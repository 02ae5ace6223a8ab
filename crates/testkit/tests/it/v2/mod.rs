//! /api/v2

mod advanced_insights;
mod base_stations;
mod documents;
mod insights;
mod jwt;
mod login;
mod proof;
mod refresh;
mod saved_views;
mod user_preferences;
