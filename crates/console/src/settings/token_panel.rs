//! What a page shows of the token of a device, and the form that changes it.

use app::{App, Caller};
use axum::response::Response;
use domain::access::ManageDevices;
use domain::{StoredResponse, TokenSummary};
use texts::console::settings as t;

use crate::done::Done;
use crate::frame::Frame;
use crate::parts::{Badge, ProofFields, Tone};
use crate::{prove, response};

/// Said to whoever sent the form twice.
pub const ISSUED_BEFORE: Done =
    Done { code: "device-token-issued-before", text: t::ISSUED_BEFORE, undo: None };

/// The token of a device. `token_panel.html` shows it and is included by the pages of devices.
pub struct TokenPanel {
    /// The page of the device, below which the token is issued and revoked.
    pub device: String,
    /// Since when the device has a token and when it was used, or that it has none.
    pub state: String,
    pub has_token: bool,
    /// The key that makes a repeat of the form issue nothing.
    pub once: String,
    pub proof: Option<ProofFields>,
    /// The new token, which is shown only now.
    pub secret: Option<String>,
}

impl TokenPanel {
    pub async fn new(
        app: &App,
        frame: &Frame,
        caller: &Caller<ManageDevices>,
        device: String,
        token: Option<&TokenSummary>,
        secret: Option<String>,
    ) -> Self {
        let proof = prove::fields(app, frame, caller);
        let (state, once) = (describe(frame, token), frame.once());
        Self { device, state, has_token: token.is_some(), once, proof, secret }
    }
}

fn describe(frame: &Frame, token: Option<&TokenSummary>) -> String {
    let Some(token) = token else { return frame.text(t::NO_TOKEN).to_owned() };
    let formats = frame.formats();
    let issued = formats.own(token.issued_at);
    match token.last_used_at {
        Some(used) => {
            let used = formats.ago(used);
            frame.fill(t::TOKEN_USED, &[("hint", &token.hint), ("at", &issued), ("used", &used)])
        }
        None => frame.fill(t::TOKEN_UNUSED, &[("hint", &token.hint), ("at", &issued)]),
    }
}

/// Leads whoever sent the form twice, by a double click or a reload, to the page of the device, which says so and offers to replace the
/// token.
pub fn issued_before(stored: StoredResponse) -> Response {
    response::redirect(&response::stored_location(stored), Some((&ISSUED_BEFORE, None)))
}

/// Whether a device has a token, for a list of devices.
pub fn badge(frame: &Frame, token: Option<&TokenSummary>) -> Badge {
    match token {
        Some(_) => Badge { word: frame.text(t::HAS_TOKEN).to_owned(), sign: "✓", tone: Tone::Good },
        None => Badge { word: frame.text(t::WITHOUT_TOKEN).to_owned(), sign: "–", tone: Tone::Neutral },
    }
}
