//! A line of the file of heads: JSON with a signature at its end, and with the signature of the line before it.

use domain::Timestamp;
use serde::{Deserialize, Serialize};
use store::ChainState;

use crate::Error;
use crate::platform::installation_key::{encode_hex, hmac_sha256};
use crate::platform::sealing::{EpochKey, KeyRing};

/// Where a chain stands.
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

/// A line, without its signature.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct HeadsLine {
    pub at: Timestamp,
    pub store: String,
    /// The epoch whose key signs it.
    pub epoch: i64,
    /// Which file it was written to; empty in lines of older versions.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub file: String,
    /// The signature of the line before it; empty in the first line, and in lines of older versions.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub previous: String,
    /// The backup that the database was restored from at this time; what was recorded before and lies beyond these heads is gone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restored_from: Option<Timestamp>,
    /// Whether an operator has accepted the chains as they are: nothing that was recorded before counts any more.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub accepted: bool,
    /// Whether the file begins anew with it: it has the newest head of every chain, so that nothing before it is needed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub begins: bool,
    pub heads: Vec<Head>,
}

const SIGNATURE: &str = ",\"signature\":\"";

impl HeadsLine {
    /// The line as it is written, and its signature.
    pub fn sign(&self, key: &EpochKey) -> Result<(String, String), Error> {
        let text = serde_json::to_string(self).map_err(Error::internal)?;
        let signature = signature(key, &text);
        Ok((with_signature(&text, &signature), signature))
    }

    pub fn position_of(&self, chain: i64) -> i64 {
        self.heads.iter().find(|head| head.chain == chain).map_or(0, |head| head.position)
    }

    /// Whether what was recorded before it does not count as it did.
    pub fn is_reset(&self) -> bool {
        self.restored_from.is_some() || self.accepted
    }
}

/// A line as it was found.
#[derive(Clone, Debug)]
pub(crate) struct SignedLine {
    pub line: HeadsLine,
    /// What is signed.
    text: String,
    pub signature: String,
}

impl SignedLine {
    pub fn parse(text: &str) -> Option<Self> {
        let (open, signature) = text.strip_suffix("\"}")?.rsplit_once(SIGNATURE)?;
        let text = format!("{open}}}");
        Some(Self { line: serde_json::from_str(&text).ok()?, text, signature: signature.to_owned() })
    }

    /// Whether a key of the installation signed it; none if the key of its epoch was lost. Of epochs that never were, nothing is signed.
    pub fn is_signed(&self, keys: &KeyRing) -> Option<bool> {
        match keys.epoch(self.line.epoch) {
            Some(key) => Some(signature(key, &self.text) == self.signature),
            None if (1..keys.oldest_epoch()).contains(&self.line.epoch) => None,
            None => Some(false),
        }
    }

    /// Whether a file can begin with it: it is the first of all, or stands for all before it.
    pub fn can_begin(&self) -> bool {
        self.line.previous.is_empty() || self.line.begins || self.line.is_reset()
    }

    /// As it stood in its file.
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
