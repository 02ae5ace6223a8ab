//! Wires configuration, command line and the application, which `serve` and the tests run alike.

mod application;
mod background;
mod cli;
mod commands;
mod config;
mod docs;
mod logging;
mod renamed_settings;
mod setting_values;

use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;

pub use application::Application;
pub use config::{Config, ConfigError, Layers};

/// The end of the process waits this long for what cannot be interrupted, such as reading from a disk that does not respond.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(5);

/// Runs the program with the arguments of the process.
#[expect(clippy::print_stderr, reason = "a failed command prints the reason")]
pub fn run() -> ExitCode {
    let cli = cli::Cli::parse();
    tls::install_provider();
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            eprintln!("keepclear: the runtime cannot start: {error}");
            return ExitCode::FAILURE;
        }
    };
    let outcome = runtime.block_on(commands::run(cli));
    runtime.shutdown_timeout(SHUTDOWN_TIMEOUT);
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("keepclear: {failure}");
            ExitCode::FAILURE
        }
    }
}
