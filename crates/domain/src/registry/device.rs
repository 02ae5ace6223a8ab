//! Devices that have their own token.

use serde::Serialize;

use crate::{DeviceId, Invalid, Name, RegistryRows, Serial, Timestamp, TokenId, WorksiteId};

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

/// The details of a token that may be shown after it was issued.
#[derive(Clone, Debug)]
pub struct TokenSummary {
    pub id: TokenId,
    /// The beginning of the secret, by which people recognise the token.
    pub hint: String,
    pub issued_at: Timestamp,
    /// Precise to the minute.
    pub last_used_at: Option<Timestamp>,
}

/// The filters of a list of gateways or tester devices.
#[derive(Clone, Debug, Default)]
pub struct DeviceFilter {
    /// Only devices whose name contains this, ignoring case and accents.
    pub q: Option<String>,
    /// Only these rows of the table.
    pub rows: RegistryRows,
}

#[derive(Clone, Debug, macros::FromRow)]
pub struct Gateway {
    pub id: DeviceId,
    /// Unique in the brand.
    pub name: String,
    /// The live token, if it has one.
    #[row(flatten)]
    pub token: Option<TokenSummary>,
    /// Rises with every change; the `ETag`.
    pub version: i64,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    /// The folded name, by which lists are sorted.
    pub name_key: String,
}

#[derive(Clone, Debug, macros::FromRow)]
pub struct TesterDevice {
    pub id: DeviceId,
    /// Unique in the brand; a placeholder if it stands at a worksite that is not visible in the scope.
    pub name: String,
    pub serial: Option<String>,
    /// The worksite where it stands, with its name; none if that worksite is not visible in the scope.
    #[row(columns("worksite_id", "worksite_name"))]
    pub worksite: Option<(WorksiteId, String)>,
    /// The live token, if it has one.
    #[row(flatten)]
    pub token: Option<TokenSummary>,
    /// Rises with every change; the `ETag`.
    pub version: i64,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    /// The folded name, by which lists are sorted.
    pub name_key: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewTesterDevice {
    /// Unique in the brand.
    pub name: Name,
    pub serial: Option<Serial>,
    pub worksite: Option<WorksiteId>,
}
