//! The section of the configuration that use cases read.

use serde::Deserialize;

/// `[auth]` of the configuration.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AuthConfig {
    /// A cookie session ends after so long without use.
    pub cookie_idle_timeout_minutes: u32,
    /// A cookie session ends after so long in any case.
    pub cookie_lifetime_hours: u32,
    /// An access token is good for so long.
    pub access_token_lifetime_minutes: u32,
    /// A refresh family ends after so long without use.
    pub refresh_idle_timeout_days: u32,
    /// A refresh family ends after so long in any case.
    pub refresh_lifetime_days: u32,
    /// An invitation can be accepted for so long.
    pub invitation_lifetime_days: u32,
    /// A password reset can be used for so long.
    pub password_reset_lifetime_minutes: u32,
    /// How long ago a session may have shown its password for acts that ask for fresh proof.
    pub proof_max_age_minutes: u32,
    /// A user has so many sessions at most; a login beyond that ends the one that was not used for the longest time.
    pub max_sessions_per_user: u32,
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
    pub iterations: u32,
    /// How many hashes are computed at once in this process.
    pub max_concurrent_hashes: u32,
}

/// `[auth.attempts]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Attempts {
    /// How far back refusals count.
    pub window_minutes: u32,
    /// Refusals of one account from one address before that address must wait.
    pub max_per_address: u32,
    /// Refusals of one account from anywhere before its logins are answered more slowly.
    pub delay_after: u32,
    /// The slowest answer.
    pub max_delay_ms: u32,
}

impl AuthConfig {
    /// Says what is wrong with the values, by key.
    pub fn check(&self) -> Result<(), (&'static str, String)> {
        let at_least = |key, value: u32, min: u32| {
            if value < min { Err((key, format!("must be at least {min}"))) } else { Ok(()) }
        };
        // Identities are remembered for a minute, during which nobody looks whether a session idled.
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
