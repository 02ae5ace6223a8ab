mod admin;
mod idempotency;
mod machines;
mod projects;
mod session;
mod sessions;
mod tester;
mod worksites;
