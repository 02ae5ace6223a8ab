//! Why a call got no status.

use std::error::Error as StdError;
use std::io;

use crate::resolver::PrivateAddress;

/// The reason why a call got no status that counts. The texts are for the log.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum CallError {
    #[error("the receiver cannot be reached: {0}")]
    Unreachable(String),
    #[error("the receiver did not answer in time")]
    TimedOut,
    #[error("the address of the receiver is not a public one")]
    PrivateAddress,
    #[error("the receiver redirected with status {0}, which is not followed")]
    Redirected(u16),
    #[error("no secure connection to the receiver can be made: {0}")]
    Tls(String),
    #[error("the address of the receiver is not https")]
    NotHttps,
}

impl CallError {
    /// Returns the reason that is stored in rows and sent in API responses.
    pub const fn reason(&self) -> &'static str {
        match self {
            Self::Unreachable(_) => "unreachable",
            Self::TimedOut => "timed_out",
            Self::PrivateAddress => "private_address",
            Self::Redirected(_) => "redirected",
            Self::Tls(_) => "tls",
            Self::NotHttps => "not_https",
        }
    }

    /// Classifies the error of a call that got no response.
    pub(crate) fn of_network(error: reqwest::Error) -> Self {
        // The address may contain what the log must not.
        let error = error.without_url();
        let causes: Vec<&(dyn StdError + 'static)> =
            std::iter::successors(error.source(), |&cause| cause.source()).collect();
        if causes.iter().any(|cause| cause.is::<PrivateAddress>()) {
            return Self::PrivateAddress;
        }
        if error.is_timeout() {
            return Self::TimedOut;
        }
        let is_tls = error.is_connect() && causes.iter().any(|cause| breaks_tls(*cause));
        let text = describe(&error);
        if is_tls { Self::Tls(text) } else { Self::Unreachable(text) }
    }
}

/// Returns the text of an error with those of its causes.
pub(crate) fn describe(error: &(dyn StdError + 'static)) -> String {
    let texts = std::iter::successors(Some(error), |&cause| cause.source()).map(ToString::to_string);
    texts.collect::<Vec<_>>().join(": ")
}

/// Whether a handshake failed: what the other side sent is no TLS, or its certificate is not valid. The error of the handshake is inside
/// other errors of the same type, which do not name it as their source.
fn breaks_tls(error: &(dyn StdError + 'static)) -> bool {
    let Some(error) = error.downcast_ref::<io::Error>() else { return false };
    if error.kind() == io::ErrorKind::InvalidData {
        return true;
    }
    match error.get_ref() {
        Some(inner) => breaks_tls(inner),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_broken_handshake_is_found_inside_other_errors() {
        let handshake = io::Error::new(io::ErrorKind::InvalidData, "received a corrupt message");
        assert!(breaks_tls(&io::Error::other(handshake)));
        assert!(!breaks_tls(&io::Error::other(io::Error::from(io::ErrorKind::ConnectionRefused))));
        assert!(!breaks_tls(&PrivateAddress));
    }
}
