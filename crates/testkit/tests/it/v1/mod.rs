mod admin;
mod idempotency;
mod projects;
mod session;
mod tester;
