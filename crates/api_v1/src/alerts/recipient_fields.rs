//! The recipients of an alert, as bodies and answers have them.

use domain::{Change, EmailAddress, Invalid, NewRecipient, Timestamp, UserId};
use web::Fields;

/// A recipient of an alert: a user, or an address. One of the two must be given.
#[web::body(parts)]
pub struct NewAlertRecipient {
    /// Identifier of an active user of the brand, who gets what they may see. If you are restricted to projects, the user must see one of
    /// them, too.
    #[schema(example = 3)]
    #[field(with = web::id)]
    user_id: Option<i64>,
    /// Email address that needs no account.
    #[schema(example = "ada@example.com", max_length = 254)]
    email: Option<EmailAddress>,
}

/// A recipient of an alert.
#[web::answer]
pub struct AlertRecipient {
    /// Identifier of the recipient, which deliveries refer to.
    #[schema(example = 12)]
    id: i64,
    /// Identifier of the user; null for an address.
    #[schema(example = 3)]
    user_id: Option<i64>,
    /// Name of the user; null for an address, and for callers who cannot list all users, except for their own name.
    #[schema(example = "Ada Lovelace")]
    name: Option<String>,
    /// Address; null for a user, and for callers who may not see names.
    #[schema(example = "ada@example.com")]
    email: Option<String>,
    /// Time at which the recipient unsubscribed from the alert, RFC 3339 in UTC; null if not.
    #[schema(value_type = Option<String>, format = DateTime)]
    unsubscribed_at: Option<Timestamp>,
    /// Time at which the mail server refused the address, RFC 3339 in UTC; null if it did not. Nothing is sent to it any more until it is
    /// removed and added again.
    #[schema(value_type = Option<String>, format = DateTime)]
    refused_at: Option<Timestamp>,
    /// Reason that the mail server gave; null if it did not refuse the address.
    #[schema(example = "550 5.1.1")]
    refused_reason: Option<String>,
}

impl From<domain::AlertRecipient> for AlertRecipient {
    fn from(recipient: domain::AlertRecipient) -> Self {
        Self {
            id: recipient.id.0,
            user_id: recipient.user.map(|user| user.0),
            name: recipient.user_name,
            email: recipient.email,
            unsubscribed_at: recipient.unsubscribed_at,
            refused_at: recipient.refused_at,
            refused_reason: recipient.refused_reason,
        }
    }
}

/// Members that are shown and cannot be set. They are ignored, so that what was read can be sent back.
const SHOWN_ONLY: [&str; 5] = ["id", "name", "unsubscribed_at", "refused_at", "refused_reason"];

/// Reads the recipients, each of which may be given once. `None` means that an error was recorded.
pub fn read_recipients(fields: &mut Fields, name: &str) -> Option<Vec<NewRecipient>> {
    let given = fields.change_list(name, domain::AlertRecipient::MAX, |fields, path, value| {
        fields.object(path, value, read_recipient)
    })?;
    let recipients = match given {
        Change::Set(recipients) => recipients,
        Change::Keep => Vec::new(),
    };
    if recipients.is_empty() {
        return fields.add_fault(name, Invalid::new("required", "must have at least one recipient"));
    }
    let is_repeated = |(index, one): (usize, &NewRecipient)| {
        recipients.iter().take(index).any(|other| is_same(one, other)).then_some(index)
    };
    let repeated = recipients.iter().enumerate().find_map(is_repeated);
    match repeated {
        Some(index) => {
            let duplicate = Invalid::new("duplicate", "must not be in the list twice");
            fields.add_fault(&format!("{name}.{index}"), duplicate)
        }
        None => Some(recipients),
    }
}

fn read_recipient(fields: &mut Fields) -> Option<NewRecipient> {
    for name in SHOWN_ONLY {
        fields.take(name);
    }
    let parts = NewAlertRecipient::read_parts(fields);
    match (parts.user_id?, parts.email?) {
        (Some(user), None) => Some(NewRecipient::User(UserId(user))),
        (None, Some(address)) => Some(NewRecipient::Address(address)),
        (Some(_), Some(_)) => {
            fields.add_fault("email", Invalid::new("ambiguous", "must not be given with user_id"))
        }
        (None, None) => fields.add_fault("email", Invalid::new("required", "must be given, or user_id")),
    }
}

fn is_same(one: &NewRecipient, other: &NewRecipient) -> bool {
    match (one, other) {
        (NewRecipient::Address(one), NewRecipient::Address(other)) => one.key() == other.key(),
        (one, other) => one == other,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn read(recipients: &Value) -> Result<Vec<NewRecipient>, Vec<String>> {
        let Value::Object(body) = json!({ "recipients": recipients }) else { panic!("an object") };
        web::read_fields(body, |fields| read_recipients(fields, "recipients")).map_err(|error| {
            error.fields.iter().map(|fault| format!("{}: {}", fault.field, fault.invalid.code)).collect()
        })
    }

    #[test]
    fn what_is_shown_of_recipients_can_be_sent_back() {
        let shown = json!([
            { "id": 1, "user_id": 3, "name": "Ada", "email": null, "unsubscribed_at": null,
                "refused_at": "2026-03-01T08:00:00Z", "refused_reason": "550" },
            { "id": 2, "user_id": null, "name": null, "email": "ada@example.com",
                "unsubscribed_at": "2026-03-01T08:00:00Z", "refused_at": null, "refused_reason": null },
        ]);
        let address = EmailAddress::parse("ada@example.com").unwrap();
        assert_eq!(read(&shown).unwrap(), [NewRecipient::User(UserId(3)), NewRecipient::Address(address)]);
    }

    #[test]
    fn faults_are_named_by_their_place() {
        let many: Vec<Value> = (0..51).map(|id| json!({ "user_id": id })).collect();
        for (recipients, fault) in [
            (json!([]), "recipients: required"),
            (Value::Null, "recipients: required"),
            (json!("ada@example.com"), "recipients: wrong_type"),
            (json!(["ada@example.com"]), "recipients.0: wrong_type"),
            (json!(many), "recipients: too_many"),
            (json!([{}]), "recipients.0.email: required"),
            (json!([{ "user_id": "x" }]), "recipients.0.user_id: wrong_type"),
            (json!([{ "user_id": 1 }, { "email": "ada" }]), "recipients.1.email: invalid_email"),
            (json!([{ "email": "a@b.c\r\nBcc: x@y.z" }]), "recipients.0.email: control_character"),
            (json!([{ "user_id": 1, "email": "ada@example.com" }]), "recipients.0.email: ambiguous"),
            (json!([{ "user_id": 1 }, { "user_id": 1 }]), "recipients.1: duplicate"),
            (json!([{ "email": "a@b.c" }, { "email": "A@B.c" }]), "recipients.1: duplicate"),
            (json!([{ "user_id": 1, "phone": "112" }]), "recipients.0.phone: unknown_field"),
        ] {
            assert_eq!(read(&recipients.clone()).unwrap_err(), [fault], "{recipients}");
        }
        assert_eq!(read(&json!(many_users())).unwrap().len(), 50);
    }

    fn many_users() -> Vec<Value> {
        (0..50).map(|id| json!({ "user_id": id })).collect()
    }
}
