mod admin;
mod base_stations;
mod idempotency;
mod machines;
mod projects;
mod session;
mod sessions;
mod tester;
