//! /api/v2: signing in, staying in, signing out.

mod jwt;
mod login;
mod refresh;
