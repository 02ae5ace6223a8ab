//! The `keepclear` program, built together with the tests so that they never run a stale one.

use std::process::ExitCode;

fn main() -> ExitCode {
    server::run()
}
