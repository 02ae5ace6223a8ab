mod admin;
mod idempotency;
mod projects;
mod session;
mod sessions;
mod tester;
