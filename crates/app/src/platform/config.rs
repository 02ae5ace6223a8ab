//! The `[auth]` section of the configuration.

use serde::Deserialize;

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AuthConfig {
    /// A cookie session ends after this time without use.
    pub cookie_idle_timeout_minutes: u32,
    /// A cookie session ends after this time in any case.
    pub cookie_lifetime_hours: u32,
    pub access_token_lifetime_minutes: u32,
    /// A refresh family ends after this time without use.
    pub refresh_idle_timeout_days: u32,
    /// A refresh family ends after this time in any case.
    pub refresh_lifetime_days: u32,
    pub invitation_lifetime_days: u32,
    pub password_reset_lifetime_minutes: u32,
    /// A session may make sensitive changes for this long after the password was last given.
    pub proof_max_age_minutes: u32,
    /// Maximum number of sessions per user; a further login ends the one that has been idle longest.
    pub max_sessions_per_user: u32,
    pub argon2: Argon2,
    /// Handling of failed logins.
    pub attempts: Attempts,
}

/// `[auth.argon2]`: password hashing.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Argon2 {
    /// Memory per hash.
    pub memory_kib: u32,
    pub iterations: u32,
    /// Hashes computed concurrently in this process.
    pub max_concurrent_hashes: u32,
}

/// `[auth.attempts]`: throttling of failed logins.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Attempts {
    /// Failed logins count for this long.
    pub window_minutes: u32,
    /// Failed logins of one account from one address before that address must wait.
    pub max_per_address: u32,
    /// Failed logins of one account from anywhere before its logins are delayed.
    pub delay_after: u32,
    pub max_delay_ms: u32,
}

impl AuthConfig {
    /// Checks the values; an error names the key.
    pub fn check(&self) -> Result<(), (&'static str, String)> {
        let at_least = |key, value: u32, min: u32| {
            if value < min { Err((key, format!("must be at least {min}"))) } else { Ok(()) }
        };
        // Identities are cached for a minute, during which the idle time of a session is not checked.
        at_least("auth.cookie_idle_timeout_minutes", self.cookie_idle_timeout_minutes, 2)?;
        at_least("auth.cookie_lifetime_hours", self.cookie_lifetime_hours, 1)?;
        at_least("auth.access_token_lifetime_minutes", self.access_token_lifetime_minutes, 1)?;
        at_least("auth.refresh_idle_timeout_days", self.refresh_idle_timeout_days, 1)?;
        at_least("auth.refresh_lifetime_days", self.refresh_lifetime_days, 1)?;
        at_least("auth.invitation_lifetime_days", self.invitation_lifetime_days, 1)?;
        at_least("auth.password_reset_lifetime_minutes", self.password_reset_lifetime_minutes, 5)?;
        at_least("auth.proof_max_age_minutes", self.proof_max_age_minutes, 1)?;
        at_least("auth.max_sessions_per_user", self.max_sessions_per_user, 1)?;
        at_least("auth.argon2.memory_kib", self.argon2.memory_kib, 8)?;
        at_least("auth.argon2.iterations", self.argon2.iterations, 1)?;
        at_least("auth.argon2.max_concurrent_hashes", self.argon2.max_concurrent_hashes, 1)?;
        at_least("auth.attempts.window_minutes", self.attempts.window_minutes, 1)?;
        at_least("auth.attempts.max_per_address", self.attempts.max_per_address, 1)
    }
}
