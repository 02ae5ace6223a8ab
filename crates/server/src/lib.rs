//! Wires configuration, command line and the application, which `serve` and the tests run alike.

mod application;
mod background;
mod cli;
mod commands;
mod config;
mod docs;
mod logging;
mod renamed_settings;

use std::process::ExitCode;

use clap::Parser;

pub use application::Application;
pub use config::{Config, ConfigError, Layers};

/// Runs the program with the arguments of the process.
#[expect(clippy::print_stderr, reason = "a failed command prints the reason")]
pub fn run() -> ExitCode {
    let cli = cli::Cli::parse();
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            eprintln!("keepclear: the runtime cannot start: {error}");
            return ExitCode::FAILURE;
        }
    };
    match runtime.block_on(commands::run(cli)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("keepclear: {failure}");
            ExitCode::FAILURE
        }
    }
}
