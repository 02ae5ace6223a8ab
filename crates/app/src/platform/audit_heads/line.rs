//! A line of the heads file: JSON with its signature at the end and the signature of the previous line.

use domain::{Timestamp, encode_hex};
use serde::{Deserialize, Serialize};
use store::ChainState;

use crate::Error;
use crate::platform::crypto::hmac_sha256;
use crate::platform::sealing::{EpochKey, KeyRing};

/// The end of a chain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Head {
    pub chain: i64,
    pub position: i64,
    pub epoch: i64,
    pub mac: String,
}

impl Head {
    pub fn of(state: &ChainState, epoch: i64) -> Self {
        Self { chain: state.chain, position: state.position, epoch, mac: encode_hex(&state.head) }
    }
}

/// A line without its signature.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct HeadsLine {
    pub at: Timestamp,
    pub store: String,
    /// The epoch whose key signs the line.
    pub epoch: i64,
    /// The id of the file; empty in lines of older versions.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub file: String,
    /// The signature of the previous line; empty in the first line, and in lines of older versions.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub previous: String,
    /// The time of the backup that was restored when the line was written; earlier records beyond these heads no longer count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restored_from: Option<Timestamp>,
    /// Whether an operator has accepted the chains as they are; earlier records no longer count.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub accepted: bool,
    /// Whether the file starts with this line: it has the newest head of every chain, so that no earlier line is needed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub begins: bool,
    pub heads: Vec<Head>,
}

const SIGNATURE: &str = ",\"signature\":\"";

impl HeadsLine {
    /// Returns the line as it is written, and its signature.
    pub fn sign(&self, key: &EpochKey) -> Result<(String, String), Error> {
        let text = serde_json::to_string(self).map_err(Error::internal)?;
        let signature = signature(key, &text);
        Ok((with_signature(&text, &signature), signature))
    }

    pub fn position_of(&self, chain: i64) -> i64 {
        self.heads.iter().find(|head| head.chain == chain).map_or(0, |head| head.position)
    }

    /// Returns whether earlier records no longer count in full.
    pub fn is_reset(&self) -> bool {
        self.restored_from.is_some() || self.accepted
    }
}

/// A line as read from the file.
#[derive(Clone, Debug)]
pub(crate) struct SignedLine {
    pub line: HeadsLine,
    /// The signed part.
    text: String,
    pub signature: String,
}

impl SignedLine {
    pub fn parse(text: &str) -> Option<Self> {
        let (open, signature) = text.strip_suffix("\"}")?.rsplit_once(SIGNATURE)?;
        let text = format!("{open}}}");
        Some(Self { line: serde_json::from_str(&text).ok()?, text, signature: signature.to_owned() })
    }

    /// Returns whether a key of the installation signed the line; none if the key of its epoch is lost. Unknown epochs sign nothing.
    pub fn is_signed(&self, keys: &KeyRing) -> Option<bool> {
        match keys.epoch(self.line.epoch) {
            Some(key) => Some(signature(key, &self.text) == self.signature),
            None if (1..keys.oldest_epoch()).contains(&self.line.epoch) => None,
            None => Some(false),
        }
    }

    /// Returns whether a file can start with this line: it is the very first, or replaces all before it.
    pub fn can_begin(&self) -> bool {
        self.line.previous.is_empty() || self.line.begins || self.line.is_reset()
    }

    pub fn to_text(&self) -> String {
        with_signature(&self.text, &self.signature)
    }
}

fn with_signature(text: &str, signature: &str) -> String {
    let open = text.strip_suffix('}').unwrap_or(text);
    format!("{open}{SIGNATURE}{signature}\"}}")
}

fn signature(key: &EpochKey, text: &str) -> String {
    encode_hex(&hmac_sha256(&key.derive("audit heads", ""), &[text.as_bytes()]))
}
