//! /api/v1/session

mod attempts;
mod create;
mod delete;
mod first_password;
mod get;
mod password;
mod proof;
mod second_factor;
