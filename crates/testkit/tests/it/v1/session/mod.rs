//! /api/v1/session

mod attempts;
mod create;
mod delete;
mod get;
mod password;
