//! What was done, said once on the page that follows.
//!
//! A form is answered with a redirect, so that a reload repeats nothing. What it has done travels in a cookie that lives for a minute and
//! names one of the program's own sentences, never a text.

use texts::{Language, Text};

/// The cookie that names what was done.
pub const COOKIE: &str = "keepclear_done";

/// Something that a form does, and what is said about it.
#[derive(Debug)]
pub struct Done {
    /// Unique over all pages.
    pub code: &'static str,
    pub text: Text,
    /// Where undoing it posts to; `{id}` is the record.
    pub undo: Option<&'static str>,
}

/// What a page says of what was done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    pub text: String,
    /// Where undoing it posts to.
    pub undo: Option<String>,
}

/// What a redirect carries in the extensions of its response, until the frame layer puts it into a cookie.
#[derive(Clone, Copy, Debug)]
pub struct JustDone {
    pub code: &'static str,
    pub id: Option<i64>,
}

impl JustDone {
    /// Returns the `Set-Cookie` value.
    pub fn cookie(self, is_https: bool) -> String {
        let value = match self.id {
            Some(id) => format!("{}:{id}", self.code),
            None => self.code.to_owned(),
        };
        write_cookie(&value, 60, is_https)
    }
}

/// Returns the `Set-Cookie` value that removes the cookie.
pub fn clear_cookie(is_https: bool) -> String {
    write_cookie("", 0, is_https)
}

fn write_cookie(value: &str, max_age_s: u32, is_https: bool) -> String {
    let secure = if is_https { "; Secure" } else { "" };
    format!("{COOKIE}={value}; Path=/; HttpOnly; SameSite=Lax; Max-Age={max_age_s}{secure}")
}

/// Finds what a cookie names. Whatever else is in it says nothing.
pub fn read_cookie(value: &str, known: &[&[Done]], language: Language) -> Option<Said> {
    let (code, id) = match value.split_once(':') {
        Some((code, id)) => (code, Some(id.parse::<i64>().ok()?)),
        None => (value, None),
    };
    let done = known.iter().copied().flatten().find(|done| done.code == code)?;
    let undo = match (done.undo, id) {
        (Some(path), Some(id)) => Some(path.replace("{id}", &id.to_string())),
        (Some(path), None) if !path.contains("{id}") => Some(path.to_owned()),
        _ => None,
    };
    Some(Said { text: done.text.get(language).to_owned(), undo })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAVED: Text = Text { key: "SAVED", english: "Saved.", german: "Gespeichert." };
    const KNOWN: &[&[Done]] = &[
        &[Done { code: "saved", text: SAVED, undo: None }],
        &[Done { code: "archived", text: SAVED, undo: Some("/machines/{id}/restore") }],
    ];

    #[test]
    fn a_cookie_names_what_was_done() {
        let said = read_cookie("archived:7", KNOWN, Language::German).unwrap();
        assert_eq!((said.text.as_str(), said.undo.as_deref()), ("Gespeichert.", Some("/machines/7/restore")));
        assert_eq!(read_cookie("archived", KNOWN, Language::English).unwrap().undo, None);
        assert_eq!(read_cookie("saved", KNOWN, Language::English).unwrap().text, "Saved.");
        for wrong in ["", "other", "archived:x", "saved:7:8", "archived:../../x"] {
            assert_eq!(read_cookie(wrong, KNOWN, Language::English), None, "{wrong}");
        }
    }

    #[test]
    fn the_cookie_is_for_a_minute_and_not_for_scripts() {
        let just = JustDone { code: "archived", id: Some(7) };
        assert_eq!(
            just.cookie(true),
            "keepclear_done=archived:7; Path=/; HttpOnly; SameSite=Lax; Max-Age=60; Secure"
        );
        assert_eq!(clear_cookie(false), "keepclear_done=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0");
    }
}
