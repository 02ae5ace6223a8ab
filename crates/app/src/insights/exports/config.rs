//! The section of the configuration that exports read.

use serde::Deserialize;

/// `[exports]` of the configuration.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExportsConfig {
    /// For how many days files are kept.
    pub retention_days: u32,
}

impl ExportsConfig {
    /// Says what is wrong with the values, by key.
    pub fn check(&self) -> Result<(), (&'static str, String)> {
        if (1..=366).contains(&self.retention_days) {
            Ok(())
        } else {
            Err(("exports.retention_days", "must be between 1 and 366".to_owned()))
        }
    }
}
