//! The `[exports]` section of the configuration.

use serde::Deserialize;

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExportsConfig {
    /// Days for which files are stored.
    pub retention_days: u32,
}

impl ExportsConfig {
    /// Checks the values; an error names the key.
    pub fn check(&self) -> Result<(), (&'static str, String)> {
        if (1..=366).contains(&self.retention_days) {
            Ok(())
        } else {
            Err(("exports.retention_days", "must be between 1 and 366".to_owned()))
        }
    }
}
