//! `keepclear worker`

use std::sync::Arc;

use domain::HostRole;

use super::{Failure, open_app, shutdown_signal, simulate};
use crate::application;
use crate::config::Config;

pub async fn run(config: &Config) -> Result<(), Failure> {
    let stop = shutdown_signal()?;
    let app = open_app(config).await?;
    let mut config = config.clone();
    // A worker always runs jobs; 0 is meant for `keepclear serve`.
    config.jobs.workers = config.jobs.workers.max(1);
    let runner = Arc::new(application::build_runner(Arc::clone(&app), &config)?);
    if config.server.public_url.is_empty() {
        let address = config.server.base_url();
        tracing::warn!("server.public_url is not set: links in mails begin with {address}");
    }
    let (engine, mails) = (app.store.engine(), runner.context().mailer.describe());
    tracing::info!("working with {engine}; mails go to {mails}");
    match simulate::find_unfinished_demo(&app).await {
        Ok(None) => {}
        Ok(Some(brand)) => {
            let name = brand.name;
            tracing::warn!(
                "the history of {name} is not complete; while keepclear serve loads it, this worker judges alerts and makes reports of \
                 {name} by what is loaded"
            );
        }
        // No reason to end: the runner waits for a database that is away.
        Err(error) => tracing::warn!("whether the history of a demo is complete could not be read: {error}"),
    }
    application::run_worker(runner, HostRole::Worker, stop).await;
    application::close(&app).await;
    Ok(())
}
