//! The pages of the console. The module tree mirrors their addresses.

mod alerts;
mod assets;
mod csrf;
mod explore;
mod follow;
mod forms;
mod incursions;
mod invitations;
mod machines;
mod numbers;
mod outliers;
mod overview;
mod password_resets;
mod people;
mod problems;
mod reports;
mod settings;
mod sign_in;
mod sites;
mod stale_forms;
mod visitors;

use std::collections::HashSet;

use roxmltree::{Document, Node, ParsingOptions};
use testkit::{Reply, TestApp};

/// Elements that do not separate words.
const INLINE: [&str; 13] =
    ["a", "abbr", "b", "bdi", "code", "em", "i", "small", "span", "strong", "sub", "sup", "time"];

/// The answer to a browser.
pub struct Page {
    pub reply: Reply,
}

/// Opens a page as a browser does, with a session cookie; with an empty one as nobody.
pub async fn open(app: &TestApp, cookie: &str, path: &str) -> Page {
    let request = app.get(path).header("accept", "text/html,application/xhtml+xml,*/*;q=0.8");
    let request = if cookie.is_empty() { request } else { request.cookie(cookie) };
    Page { reply: request.send().await }
}

/// Sends a form as a browser does.
pub async fn submit(app: &TestApp, cookie: &str, path: &str, fields: &[(&str, &str)]) -> Page {
    let request = app.post(path).header("accept", "text/html,application/xhtml+xml,*/*;q=0.8");
    let request = request.header("sec-fetch-site", "same-origin");
    let request = if cookie.is_empty() { request } else { request.cookie(cookie) };
    Page { reply: request.bytes("application/x-www-form-urlencoded", form_body(fields)).send().await }
}

/// Returns the fields of a form as browsers send them.
pub fn form_body(fields: &[(&str, &str)]) -> String {
    let escape = |text: &str| {
        let byte = |byte: u8| match byte.is_ascii_alphanumeric() || byte == b'_' {
            true => char::from(byte).to_string(),
            false => format!("%{byte:02X}"),
        };
        text.bytes().map(byte).collect::<String>()
    };
    let pairs: Vec<_> =
        fields.iter().map(|(name, value)| format!("{}={}", escape(name), escape(value))).collect();
    pairs.join("&")
}

impl Page {
    /// Panics unless the status is as expected. A page must also be well-formed, whatever is in it, and must not contain script or style
    /// of its own; an error must be a page.
    #[track_caller]
    pub fn expect(self, status: u16) -> Self {
        let reply = self.reply.expect(status);
        let is_page = reply.header("content-type").starts_with("text/html");
        assert!(is_page || status < 400, "{status} is not a page: {}", reply.header("content-type"));
        if is_page {
            check(&reply);
        }
        Self { reply }
    }

    /// Returns the text of the page with single blanks, as a reader sees it.
    pub fn text(&self) -> String {
        let html = self.reply.text();
        let document = parse(&html);
        let body = document.descendants().find(|node| node.has_tag_name("body")).unwrap();
        let mut text = String::new();
        collect_text(body, &mut text);
        join_blanks(&text)
    }

    pub fn says(&self, words: &str) -> bool {
        self.text().contains(&join_blanks(words))
    }

    /// Returns the addresses of all links.
    pub fn links(&self) -> Vec<String> {
        let html = self.reply.text();
        let document = parse(&html);
        let links = document.descendants().filter(|node| node.has_tag_name("a"));
        links.filter_map(|link| link.attribute("href")).map(str::to_owned).collect()
    }

    /// Returns the value of the first field of this name that has one.
    pub fn field(&self, name: &str) -> Option<String> {
        let html = self.reply.text();
        let document = parse(&html);
        document.descendants().filter(|node| node.attribute("name") == Some(name)).find_map(value_of)
    }

    /// Returns what the page says is wrong with a field.
    pub fn fault(&self, name: &str) -> Option<String> {
        let html = self.reply.text();
        let document = parse(&html);
        // Other forms of the page may keep the value in a hidden field.
        let fields =
            document.descendants().filter(|node| is_input(*node) && node.attribute("name") == Some(name));
        let around = fields.flat_map(|field| field.ancestors());
        let mut faults = around
            .filter(|node| has_class(*node, "field") || has_class(*node, "proof"))
            .filter_map(|node| node.descendants().find(|inner| has_class(*inner, "fault")));
        let mut text = String::new();
        collect_text(faults.next()?, &mut text);
        Some(join_blanks(&text))
    }

    /// Returns where the answer leads to.
    pub fn location(&self) -> String {
        self.reply.header("location").to_owned()
    }
}

#[track_caller]
fn parse(html: &str) -> Document<'_> {
    let options = ParsingOptions { allow_dtd: true, ..ParsingOptions::default() };
    Document::parse_with_options(html, options).unwrap_or_else(|error| panic!("{error}: {html}"))
}

/// Panics unless a page keeps to what all pages promise.
#[track_caller]
fn check(reply: &Reply) {
    let policy = reply.header("content-security-policy");
    assert!(policy.contains("default-src 'none'") && policy.contains("script-src 'self'"), "{policy}");
    assert!(!policy.contains("unsafe"), "{policy}");
    let html = reply.text();
    let document = parse(&html);
    let elements = || document.descendants().filter(Node::is_element);
    let mut ids = HashSet::new();
    for node in elements() {
        if let Some(id) = node.attribute("id") {
            assert!(ids.insert(id), "the id {id} is used twice: {html}");
        }
    }
    for node in elements() {
        let tag = node.tag_name().name();
        assert_ne!(tag, "style", "{html}");
        if tag == "script" {
            let source = node.attribute("src").unwrap_or_default();
            assert!(source.starts_with("/assets/") && node.text().is_none(), "a script of its own: {html}");
        }
        for attribute in node.attributes() {
            let (name, value) = (attribute.name(), attribute.value());
            assert!(name != "style" && !name.starts_with("on"), "<{tag} {name}>: {html}");
            assert!(!value.trim_start().starts_with("javascript:"), "<{tag} {name}>: {html}");
            if matches!(name, "for" | "aria-describedby" | "aria-labelledby") {
                for id in value.split_whitespace() {
                    assert!(ids.contains(id), "<{tag} {name}> names {id}, which is not there: {html}");
                }
            }
        }
    }
}

fn is_input(node: Node<'_, '_>) -> bool {
    matches!(node.tag_name().name(), "input" | "select" | "textarea")
}

/// Returns the value that a field would send.
fn value_of(node: Node<'_, '_>) -> Option<String> {
    let value = |node: Node<'_, '_>| node.attribute("value").unwrap_or_default().to_owned();
    match node.tag_name().name() {
        "input" if matches!(node.attribute("type"), Some("checkbox" | "radio")) => {
            node.has_attribute("checked").then(|| value(node))
        }
        "input" => Some(value(node)),
        "select" => {
            let options = || node.descendants().filter(|inner| inner.has_tag_name("option"));
            let chosen = options().find(|option| option.has_attribute("selected"));
            chosen.or_else(|| options().next()).map(value)
        }
        // Browsers drop the first line break.
        "textarea" => {
            let text = node.text().unwrap_or_default();
            Some(text.strip_prefix('\n').unwrap_or(text).to_owned())
        }
        _ => None,
    }
}

fn has_class(node: Node<'_, '_>, class: &str) -> bool {
    node.attribute("class").is_some_and(|classes| classes.split_whitespace().any(|one| one == class))
}

fn collect_text(node: Node<'_, '_>, text: &mut String) {
    for child in node.children() {
        if child.is_text() {
            text.push_str(child.text().unwrap_or_default());
        } else if child.is_element() {
            let separator = if INLINE.contains(&child.tag_name().name()) { "" } else { " " };
            text.push_str(separator);
            collect_text(child, text);
            text.push_str(separator);
        }
    }
}

fn join_blanks(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
