//! Limits the memory that request bodies may take while they are received, per caller, per brand and in total.

use std::ops::Deref;

use app::{Error, ErrorKind, Grant, Origin, Shares, TaskOwner, Tenant};
use http::Extensions;

use crate::auth::auth_outcome::AuthOutcome;
use crate::config::Limits;
use crate::connection::rate_limits::CallerKey;

const MIB: usize = 1024 * 1024;
/// The initial capacity of a body's buffer; it doubles from there.
const INITIAL_CAPACITY_BYTES: usize = 4096;

/// The memory budget of request bodies, in bytes. Each request carries it as an extension.
#[derive(Clone, Debug)]
pub(crate) struct BodyBudget {
    per_caller: Shares<CallerKey>,
    /// A brand has many callers. One brand may use at most three quarters of the total.
    per_tenant: Shares<Option<Tenant>>,
    total_bytes: usize,
}

/// A body that was received as a whole. It counts against the budget of its caller until it is dropped.
pub struct ReceivedBody {
    bytes: Vec<u8>,
    /// What the buffer was charged to; none outside of the request context layer.
    grants: Option<(Grant<CallerKey>, Grant<Option<Tenant>>)>,
}

impl BodyBudget {
    pub fn new(limits: &Limits) -> Self {
        let total = limits.max_body_memory_mb as usize * MIB;
        let callers = Shares::new(total, limits.max_body_memory_per_caller_mb as usize * MIB);
        Self { per_caller: callers, per_tenant: Shares::new(total, total / 4 * 3), total_bytes: total }
    }

    /// Returns the number of bytes that bodies take now.
    pub fn used_bytes(&self) -> usize {
        self.total_bytes.saturating_sub(self.per_caller.available())
    }
}

impl ReceivedBody {
    /// Starts with no bytes, charged to the caller of the request.
    pub(crate) fn begin(extensions: &Extensions) -> Result<Self, Error> {
        let grants = match (extensions.get::<BodyBudget>(), caller_key(extensions)) {
            (Some(budget), Some(caller)) => {
                let tenant = TaskOwner::current().map(|holder| holder.tenant());
                let of_caller = budget.per_caller.try_acquire(caller, 0).ok_or_else(budget_exhausted)?;
                Some((of_caller, budget.per_tenant.try_acquire(tenant, 0).ok_or_else(budget_exhausted)?))
            }
            _ => None,
        };
        Ok(Self { bytes: Vec::new(), grants })
    }

    /// Adds bytes. Fails if the budget is exhausted.
    pub(crate) fn add(&mut self, bytes: &[u8], max_bytes: usize) -> Result<(), Error> {
        let needed = self.bytes.len() + bytes.len();
        let room = self.bytes.capacity();
        if needed > room {
            let wanted = (room * 2).max(INITIAL_CAPACITY_BYTES).min(max_bytes).max(needed);
            let more = u32::try_from(wanted - room).map_err(Error::internal)?;
            if let Some((of_caller, of_tenant)) = &mut self.grants
                && !(of_caller.try_grow(more) && of_tenant.try_grow(more))
            {
                return Err(budget_exhausted());
            }
            self.bytes.reserve_exact(wanted - self.bytes.len());
        }
        self.bytes.extend_from_slice(bytes);
        Ok(())
    }
}

impl Deref for ReceivedBody {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes
    }
}

/// The caller whose budget a body counts against: the user or token, or the address if nobody is identified.
fn caller_key(extensions: &Extensions) -> Option<CallerKey> {
    let known = extensions.get::<AuthOutcome>().and_then(|AuthOutcome(known)| known.as_ref().ok());
    match known.map(|known| &known.identity) {
        Some(identity) => Some(CallerKey::of(identity)),
        None => extensions.get::<Origin>().map(|origin| CallerKey::address(origin.address)),
    }
}

fn budget_exhausted() -> Error {
    let detail =
        "Too many request bodies are being received from you, from your brand or in total. Try again later.";
    Error::new(ErrorKind::Unavailable, "bodies_busy", detail).retry_after(5)
}
