//! The tokens of devices. Only a hash of each secret is stored.

use domain::row::FromRow;
use domain::{BrandId, DeviceId, DeviceKind, Timestamp, TokenId, TokenSummary};

use crate::engine::row::Row;
use crate::engine::statement::sql;
use crate::{Error, Platform, Tx};

/// A token that is valid now.
#[derive(Clone, Debug, macros::FromRow)]
pub struct LiveToken {
    pub id: TokenId,
    #[row(column = "brand_id")]
    pub brand: BrandId,
    pub kind: DeviceKind,
    #[row(column = "device_id")]
    pub device: DeviceId,
    /// Precise to the minute.
    pub last_used_at: Option<Timestamp>,
}

/// A token as it is listed, without its secret.
#[derive(Clone, Debug, macros::FromRow)]
pub struct Token {
    pub id: TokenId,
    #[row(column = "brand_id")]
    pub brand: BrandId,
    pub brand_name: String,
    pub kind: DeviceKind,
    #[row(column = "device_id")]
    pub device: DeviceId,
    /// The name or serial of the device.
    pub device_name: String,
    /// The beginning of the secret, by which people recognise the token.
    pub hint: String,
    pub issued_at: Timestamp,
    /// Precise to the minute.
    pub last_used_at: Option<Timestamp>,
    pub ended_at: Option<Timestamp>,
    /// `rotated` or `revoked`.
    pub ended_by: Option<String>,
}

/// From the columns `token_id`, `hint`, `issued_at` and `last_used_at` of a device joined with its live token.
impl FromRow<Row> for Option<TokenSummary> {
    fn from_row(row: &Row) -> Result<Self, Error> {
        Ok(match (row.get("token_id")?, row.get("hint")?, row.get("issued_at")?) {
            (Some(id), Some(hint), Some(issued_at)) => {
                Some(TokenSummary { id, hint, issued_at, last_used_at: row.get("last_used_at")? })
            }
            _ => None,
        })
    }
}

const COLUMNS: &str =
    "select t.id, t.brand_id, b.name as brand_name, t.kind, t.device_id, t.hint, t.issued_at,
    t.last_used_at, t.ended_at, t.ended_by, coalesce(d.name, s.serial, g.name) as device_name
    from device_tokens t join brands b on b.id = t.brand_id
    left join tester_devices d on t.kind = 'tester' and d.id = t.device_id
    left join base_stations s on t.kind = 'station' and s.id = t.device_id
    left join gateways g on t.kind = 'gateway' and g.id = t.device_id";

/// All device tokens of the installation.
pub struct Tokens<'a>(&'a mut Tx);

impl Tx {
    pub fn tokens(&mut self, _: &Platform) -> Tokens<'_> {
        Tokens(self)
    }
}

#[macros::boxed]
impl Tokens<'_> {
    /// Adds a token to a device, which must not have another live one.
    pub async fn add(
        &mut self,
        brand: BrandId,
        device: (DeviceKind, DeviceId),
        hash: [u8; 32],
        hint: &str,
        now: Timestamp,
    ) -> Result<TokenId, Error> {
        let token: LiveToken = self
            .0
            .one(sql!(
                "insert into device_tokens (brand_id, kind, device_id, hash, hint, issued_at)
                 values ($1, $2, $3, $4, $5, $6)
                 returning id, brand_id, kind, device_id, last_used_at",
                brand,
                device.0.as_str(),
                device.1,
                hash,
                hint,
                now
            ))
            .await?;
        Ok(token.id)
    }

    /// Ends the live token of a device because a new one replaces it, and returns its id.
    pub async fn rotate_out(
        &mut self,
        device: (DeviceKind, DeviceId),
        now: Timestamp,
    ) -> Result<Option<TokenId>, Error> {
        let token: Option<LiveToken> = self
            .0
            .optional(sql!(
                "update device_tokens set ended_at = $3, ended_by = 'rotated'
                 where kind = $1 and device_id = $2 and ended_at is null
                 returning id, brand_id, kind, device_id, last_used_at",
                device.0.as_str(),
                device.1,
                now
            ))
            .await?;
        Ok(token.map(|token| token.id))
    }

    /// Ends a token and returns whether it was live.
    pub async fn revoke(&mut self, id: TokenId, now: Timestamp) -> Result<bool, Error> {
        let ended = self
            .0
            .execute(sql!(
                "update device_tokens set ended_at = $2, ended_by = 'revoked'
                 where id = $1 and ended_at is null",
                id,
                now
            ))
            .await?;
        Ok(ended > 0)
    }

    pub async fn live_of(&mut self, device: (DeviceKind, DeviceId)) -> Result<Option<LiveToken>, Error> {
        self.0
            .optional(sql!(
                "select id, brand_id, kind, device_id, last_used_at from device_tokens
                 where kind = $1 and device_id = $2 and ended_at is null",
                device.0.as_str(),
                device.1
            ))
            .await
    }

    /// Finds the live token with that hash.
    pub async fn by_hash(&mut self, hash: [u8; 32]) -> Result<Option<LiveToken>, Error> {
        self.0
            .optional(sql!(
                "select id, brand_id, kind, device_id, last_used_at from device_tokens
                 where hash = $1 and ended_at is null",
                hash
            ))
            .await
    }

    /// Finds a token, live or ended.
    pub async fn by_id(&mut self, id: TokenId) -> Result<Option<Token>, Error> {
        self.0.optional(sql!(COLUMNS).push_with(" where t.id = $?", [id.into()])).await
    }

    /// Returns all tokens, or those of one brand, oldest first.
    pub async fn all(&mut self, brand: Option<BrandId>) -> Result<Vec<Token>, Error> {
        let mut statement = sql!(COLUMNS);
        if let Some(brand) = brand {
            statement = statement.push_with(" where t.brand_id = $?", [brand.into()]);
        }
        self.0.all(statement.push(" order by t.id")).await
    }

    pub async fn record_use(&mut self, id: TokenId, now: Timestamp) -> Result<(), Error> {
        self.0.execute(sql!("update device_tokens set last_used_at = $2 where id = $1", id, now)).await?;
        Ok(())
    }
}
