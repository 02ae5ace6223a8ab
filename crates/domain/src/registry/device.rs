//! Devices that hold a token of their own.

use serde::Serialize;

use crate::Invalid;

/// What a device token opens: testers speak /api/v1/tester, stations and gateways /ingest/v1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DeviceKind {
    /// A kiosk where tags are tested and handed out.
    Tester,
    /// A base station on a machine.
    Station,
    /// A gateway that speaks for many stations.
    Gateway,
}

impl DeviceKind {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Tester, Self::Station, Self::Gateway];

    /// The word for it, in tables, on the command line and in answers alike.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Tester => "tester",
            Self::Station => "station",
            Self::Gateway => "gateway",
        }
    }

    /// What every token of this kind begins with, so that a leaked one is recognised at sight.
    pub const fn prefix(self) -> &'static str {
        match self {
            Self::Tester => "kct_",
            Self::Station => "kcs_",
            Self::Gateway => "kcg_",
        }
    }

    /// Reads the word.
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        Self::ALL
            .into_iter()
            .find(|kind| kind.as_str() == text)
            .ok_or_else(|| Invalid::new("invalid_kind", "must be one of tester, station, gateway"))
    }
}
