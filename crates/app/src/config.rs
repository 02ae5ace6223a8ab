//! The section of the configuration that use cases read.

use serde::Deserialize;

/// `[auth]` of the configuration.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// A cookie session ends after so long without use.
    pub cookie_idle_minutes: u32,
    /// A cookie session ends after so long in any case.
    pub cookie_lifetime_hours: u32,
    /// An access token is good for so long.
    pub access_token_minutes: u32,
    /// A refresh family ends after so long without use.
    pub refresh_idle_days: u32,
    /// A refresh family ends after so long in any case.
    pub refresh_lifetime_days: u32,
    /// How passwords are hashed.
    pub argon2: Argon2,
    /// How wrong passwords are answered.
    pub attempts: Attempts,
}

/// `[auth.argon2]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Argon2 {
    /// Memory per hash.
    pub memory_kib: u32,
    /// Passes over it.
    pub passes: u32,
    /// How many hashes are computed at once in this process.
    pub at_once: u32,
}

/// `[auth.attempts]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Attempts {
    /// How far back refusals count.
    pub window_minutes: u32,
    /// Refusals of one account from one address before that address must wait.
    pub per_address: u32,
    /// Refusals of one account from anywhere before its logins are answered more slowly.
    pub slow_after: u32,
    /// The slowest answer.
    pub slowest_ms: u32,
}
