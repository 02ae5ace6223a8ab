mod admin;
mod session;
mod tester;
