//! What the page of a service account shows of its tokens, and the form that issues one.

use domain::{ServiceAccount, ServiceToken};
use texts::Text;
use texts::console::settings::service_accounts as t;

use crate::form::FormView;
use crate::frame::Frame;
use crate::parts::{Action, Choice, Field, FormPart, Input, ProofFields};

/// How long the token before a new one works, in hours. The API allows as much as the last.
const OVERLAPS: [(i64, Text); 5] =
    [(0, t::AT_ONCE), (1, t::FOR_AN_HOUR), (24, t::FOR_A_DAY), (72, t::FOR_THREE_DAYS), (168, t::FOR_A_WEEK)];
pub const MAX_OVERLAP_HOURS: i64 = 168;
pub const DEFAULT_OVERLAP_HOURS: i64 = 24;

/// What the page of an account shows of its tokens.
pub struct TokenPart {
    /// A sentence for each token that works, or one that there is none.
    pub states: Vec<String>,
    /// The new token, which is shown only now.
    pub secret: Option<String>,
    pub form: FormPart,
    pub revoke: Option<Action>,
}

impl TokenPart {
    /// The part of an account whose page is at `path`. `refused` is its form after a fault.
    pub fn new(
        frame: &Frame,
        account: &ServiceAccount,
        path: &str,
        (refused, proof): (Option<FormView>, Option<ProofFields>),
        secret: Option<String>,
    ) -> Self {
        let has_token = account.token.is_some() || account.previous_token.is_some();
        let hours = DEFAULT_OVERLAP_HOURS.to_string();
        let view = refused.unwrap_or_else(|| FormView::new(vec![("overlap_hours", hours)]));
        let choices = OVERLAPS.map(|(hours, text)| Choice::new(hours.to_string(), frame.text(text)));
        let overlap = || {
            let choices = Input::Select(choices.into_iter().collect());
            let field = Field::new(frame, &view, "overlap_hours", t::OVERLAP, choices);
            field.hint(frame.text(t::OVERLAP_HINT))
        };
        let (fields, submit) = match has_token {
            true => (vec![overlap()], t::REPLACE),
            false => (Vec::new(), t::ISSUE),
        };
        let form = FormPart::new(format!("{path}/token"), &view, fields, frame.text(submit));
        let revoke = has_token.then(|| Action {
            to: format!("{path}/token/revoke"),
            text: frame.text(t::REVOKE).to_owned(),
            is_danger: true,
            hidden: Vec::new(),
        });
        Self { states: states(frame, account), secret, form: form.creating(frame).proven(proof), revoke }
    }
}

fn states(frame: &Frame, account: &ServiceAccount) -> Vec<String> {
    let formats = frame.formats();
    let say = |token: &ServiceToken, used: Text, unused: Text| {
        let (at, until) = (formats.own(token.issued_at), formats.own(token.expires_at));
        match token.last_used_at {
            Some(last) => frame.fill(used, &[("at", &at), ("until", &until), ("used", &formats.ago(last))]),
            None => frame.fill(unused, &[("at", &at), ("until", &until)]),
        }
    };
    let current = account.token.iter().map(|token| say(token, t::TOKEN_USED, t::TOKEN_UNUSED));
    let previous = account.previous_token.iter();
    let previous = previous.map(|token| say(token, t::PREVIOUS_USED, t::PREVIOUS_UNUSED));
    let states: Vec<String> = current.chain(previous).collect();
    if states.is_empty() { vec![frame.text(t::NO_TOKEN).to_owned()] } else { states }
}
