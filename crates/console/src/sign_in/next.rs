//! Where to go on to after signing in, or after what was due.

use crate::address::Address;
use crate::frame::Frame;

/// Returns the page that was asked for, if it is one of ours and does not itself sign in or out.
pub fn destination(given: Option<&str>) -> Option<Address> {
    let asked = given.and_then(Address::local);
    asked.filter(|address| {
        let path = address.path();
        !matches!(path, "/sign-in" | "/sign-out") && !path.starts_with("/sign-in/")
    })
}

/// Returns an address that leads on to the same page as the one that is shown.
pub fn keep_next(frame: &Frame, path: &str) -> String {
    match destination(frame.address.first("next")) {
        Some(next) => Address::new(path).and("next", &next.to_string()).to_string(),
        None => path.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use texts::Language;

    use super::*;

    #[test]
    fn only_pages_of_ours_are_gone_on_to() {
        let to = |given| destination(Some(given)).map(|address| address.to_string());
        assert_eq!(to("/machines?q=a").as_deref(), Some("/machines?q=a"));
        for refused in
            ["//example.com", "https://example.com", "/sign-in?next=/", "/sign-in/session", "/sign-out", ""]
        {
            assert_eq!(to(refused), None, "{refused}");
        }
        assert_eq!(destination(None), None);
    }

    #[test]
    fn what_follows_is_kept() {
        let frame = crate::frame::sample(Language::English, "/settings/password?next=%2Fmachines%3Fq%3Da");
        assert_eq!(keep_next(&frame, "/x"), "/x?next=%2Fmachines%3Fq%3Da");
        let elsewhere = crate::frame::sample(Language::English, "/settings/password?next=//example.com");
        assert_eq!(keep_next(&elsewhere, "/x"), "/x");
    }
}
