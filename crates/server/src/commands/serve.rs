//! `keepclear serve`

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use app::App;
use domain::{Clock, Random};
use indicatif::MultiProgress;
use tokio::net::TcpListener;

use super::{Failure, print_line, shutdown_signal, simulate};
use crate::Application;
use crate::config::Config;

const INCOMPLETE_DEMO: &str = "The demo is not complete; the next start completes it.";

/// Serves, and loads a demo if one is wanted or was interrupted. Its progress is drawn among these bars.
pub async fn run(
    config: &Config,
    place: &[String],
    bars: &MultiProgress,
    is_demo_wanted: bool,
) -> Result<(), Failure> {
    // Binds the port first, so that nothing else has happened yet if it is taken.
    let listener = TcpListener::bind(config.server.listen)
        .await
        .map_err(|error| Failure(format!("cannot listen on {}: {error}", config.server.listen)))?;
    let mut config = config.clone();
    config.server.listen = listener.local_addr()?;
    let application = Application::build(&config, Clock::System, Random::System).await?;
    let address = config.server.base_url();
    let engine = application.edge.app.store.engine();
    let mut stop = Box::pin(shutdown_signal()?);
    let history = tokio::select! {
        begun = simulate::begin_demo(&application.edge.app, is_demo_wanted) => begun?,
        () = &mut stop => return print_line(INCOMPLETE_DEMO),
    };
    if config.server.is_plain_http_exposed() {
        tracing::warn!(
            "clients connect to {address} over plain http, so passwords, cookies and tokens can be read on the way; put a proxy with TLS \
             in front of the service and set server.public_url to its https:// address"
        );
    }
    print_first_login(&application.edge.app, &address, place).await?;
    print_line(&format!("  Console: {address}/"))?;
    tracing::info!(
        "serving on {address} with {engine}; the console is at {address}/, docs at {address}/docs/"
    );
    // It listens from its first poll on, so that the first signal does not count.
    let second_stop = async {
        match shutdown_signal() {
            Ok(signal) => signal.await,
            Err(_) => std::future::pending().await,
        }
    };
    let loading = history.map(|history| tokio::spawn(history.load_beside_service(bars.clone())));
    let is_interrupted = Arc::new(AtomicBool::new(false));
    let noted = Arc::clone(&is_interrupted);
    let stop = async move {
        stop.await;
        if let Some(loading) = loading.filter(|loading| !loading.is_finished()) {
            loading.abort();
            noted.store(true, Ordering::Relaxed);
        }
    };
    application.serve(listener, stop, second_stop).await;
    if is_interrupted.load(Ordering::Relaxed) {
        print_line(INCOMPLETE_DEMO)?;
    }
    Ok(())
}

/// Prints the first login on the very first start. The password is shown once and stored as a hash only.
async fn print_first_login(app: &App, address: &str, place: &[String]) -> Result<(), Failure> {
    let Some(first) = app.create_first_admin().await? else { return Ok(()) };
    print_line(&format!(
        "\n  Keepclear is ready. This is shown once:\n\n    \
         console    {address}/\n    docs       {address}/docs/\n    email      {email}\n    password   {password}\n    \
         brand      {brand}\n\n  \
         The password expires in 24 hours unless it is used. To change it:\n\n    \
         {program}{place} user set-password --email {email} --password-stdin --chosen\n\n  \
         Keep a copy of the installation key apart from the backups: without it, sessions and second factors are lost with this machine.\n",
        // The program as it was called, because it may not be on the PATH.
        program = std::env::args().next().unwrap_or_else(|| "keepclear".to_owned()),
        // The next command needs the same options to find the same data.
        place = place.iter().map(|argument| format!(" {}", shell_quote(argument))).collect::<String>(),
        email = first.email,
        password = first.password,
        brand = first.brand,
    ))
}

/// Quotes an argument for a shell.
fn shell_quote(argument: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,@%+".contains(c);
    match !argument.is_empty() && argument.chars().all(is_plain) {
        true => argument.to_owned(),
        false => format!("'{}'", argument.replace('\'', "'\\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_quoted_for_a_shell() {
        assert_eq!(shell_quote("/srv/keepclear"), "/srv/keepclear");
        assert_eq!(shell_quote("/srv/my data"), "'/srv/my data'");
        assert_eq!(shell_quote("it's"), "'it'\\''s'");
    }
}
