//! The `keepclear` program.

use std::process::ExitCode;

fn main() -> ExitCode {
    server::run()
}
