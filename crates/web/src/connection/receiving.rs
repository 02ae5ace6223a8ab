//! Bodies on their way in: how much memory they may take, per caller and in all.

use std::ops::Deref;

use app::{Error, Grant, Holder, Identity, Kind, Origin, Shares, Tenant};
use axum::extract::Request;
use http::Extensions;
use http_body_util::{BodyExt, Limited};

use crate::auth::gate::Presented;
use crate::config::Limits;
use crate::connection::limits::Key;
use crate::request::body::{cut_short, said_length, too_large};

const MIB: usize = 1024 * 1024;
/// The first room for a body; it doubles from there.
const FIRST_ROOM: usize = 4096;

/// The memory that bodies may take, in bytes. It stands in each request for whoever reads its body.
#[derive(Clone, Debug)]
pub(crate) struct BodyBudget {
    callers: Shares<Key>,
    /// A brand has many callers; one brand leaves a quarter of the total to others.
    tenants: Shares<Option<Tenant>>,
    total: usize,
}

/// A body that was received whole. It counts against the budget of its caller until it is dropped.
pub struct Received {
    bytes: Vec<u8>,
    /// What the room for its bytes was charged to; none outside of the edge.
    grants: Option<(Grant<Key>, Grant<Option<Tenant>>)>,
}

impl BodyBudget {
    pub fn new(limits: &Limits) -> Self {
        let total = limits.body_mb as usize * MIB;
        let callers = Shares::new(total, limits.body_mb_per_caller as usize * MIB);
        Self { callers, tenants: Shares::new(total, total / 4 * 3), total }
    }

    /// How many bytes bodies take now.
    pub fn used(&self) -> usize {
        self.total.saturating_sub(self.callers.available())
    }
}

/// Receives the whole body, up to the limit. What it takes is charged as it comes, not as it is announced: an unfinished
/// body costs its caller what has arrived.
pub(crate) async fn receive(request: Request, limit: usize) -> Result<Received, Error> {
    let said = said_length(&request);
    if said.is_some_and(|said| said > limit as u64) {
        return Err(too_large(limit as u64));
    }
    let most = said.and_then(|said| usize::try_from(said).ok()).unwrap_or(limit);
    let mut received = Received::begin(request.extensions())?;
    let mut body = Limited::new(request.into_body(), limit);
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|error| cut_short(error.as_ref(), limit as u64))?;
        if let Ok(bytes) = frame.into_data() {
            received.add(&bytes, most)?;
        }
    }
    Ok(received)
}

impl Received {
    fn begin(extensions: &Extensions) -> Result<Self, Error> {
        let grants = match (extensions.get::<BodyBudget>(), caller(extensions)) {
            (Some(budget), Some(caller)) => {
                let tenant = Holder::current().map(|holder| holder.tenant());
                let of_caller = budget.callers.try_take(caller, 0).ok_or_else(busy)?;
                Some((of_caller, budget.tenants.try_take(tenant, 0).ok_or_else(busy)?))
            }
            _ => None,
        };
        Ok(Self { bytes: Vec::new(), grants })
    }

    fn add(&mut self, bytes: &[u8], most: usize) -> Result<(), Error> {
        let needed = self.bytes.len() + bytes.len();
        let room = self.bytes.capacity();
        if needed > room {
            let wanted = (room * 2).max(FIRST_ROOM).min(most).max(needed);
            let more = u32::try_from(wanted - room).map_err(Error::internal)?;
            if let Some((of_caller, of_tenant)) = &mut self.grants
                && !(of_caller.try_grow(more) && of_tenant.try_grow(more))
            {
                return Err(busy());
            }
            self.bytes.reserve_exact(wanted - self.bytes.len());
        }
        self.bytes.extend_from_slice(bytes);
        Ok(())
    }
}

impl Deref for Received {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes
    }
}

/// Whose budget a body counts against: the user's or token's, or the address's while nobody is known.
fn caller(extensions: &Extensions) -> Option<Key> {
    let known = extensions.get::<Presented>().and_then(|Presented(known)| known.as_ref().ok());
    match known.map(|known| &known.identity) {
        Some(Identity::User(user)) => Some(Key::User(user.user)),
        Some(Identity::Device(device)) => Some(Key::Token(device.token_id())),
        None => extensions.get::<Origin>().map(|origin| Key::address(origin.address)),
    }
}

fn busy() -> Error {
    let detail =
        "Too many bodies are being received, from you, from your brand or in all. Send this one again.";
    Error::new(Kind::Unavailable, "bodies_busy", detail).retry_after(5)
}
