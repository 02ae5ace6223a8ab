//! /links: what the signed links in mails lead to.

mod alerts;
mod reports;
