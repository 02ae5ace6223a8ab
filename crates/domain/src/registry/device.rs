//! Devices that have their own token.

use serde::Serialize;

use crate::Invalid;

/// The kind of a device, which decides where its token is accepted: testers call /api/v1/tester, stations and gateways
/// /ingest/v1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DeviceKind {
    /// A kiosk where tags are tested and handed out.
    Tester,
    /// A base station on a machine.
    Station,
    /// A gateway that reports for many stations.
    Gateway,
}

impl DeviceKind {
    pub const ALL: [Self; 3] = [Self::Tester, Self::Station, Self::Gateway];

    /// Returns the value stored in tables, sent in API responses and used on the command line.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Tester => "tester",
            Self::Station => "station",
            Self::Gateway => "gateway",
        }
    }

    /// Returns the prefix of all tokens of this kind, which makes leaked tokens easy to recognise.
    pub const fn prefix(self) -> &'static str {
        match self {
            Self::Tester => "kct_",
            Self::Station => "kcs_",
            Self::Gateway => "kcg_",
        }
    }

    pub fn parse(text: &str) -> Result<Self, Invalid> {
        Self::ALL
            .into_iter()
            .find(|kind| kind.as_str() == text)
            .ok_or_else(|| Invalid::new("invalid_kind", "must be one of tester, station, gateway"))
    }
}
