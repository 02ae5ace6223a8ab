//! GET and POST /links/alerts/{token}

use std::sync::Arc;

use app::reports::texts::alerts;
use app::{App, Unsubscription};
use axum::body::Body;
use axum::extract::State;
use axum::response::Response;
use http::{HeaderValue, header};
use web::{NoParams, PathText, Result, problem};

/// The page needs nothing but its own styles, and a form that sends to where it came from.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'self'; \
     frame-ancestors 'none'";

/// Show the page to unsubscribe from an alert
///
/// The link is in each mail of an alert. The page says which alert it is and has a button. Opening it changes nothing, because mail
/// programs and virus scanners open links by themselves. The link works for one recipient of one alert, for 400 days.
#[web::operation(
    get, path = "/links/alerts/{token}", tag = "links", operation_id = "show_unsubscribe", security(),
    params(("token" = String, Path, description = "Token at the end of the link")),
    responses(
        (status = 200, description = "The page, in the language of the recipient", body = String,
            content_type = "text/html; charset=utf-8"),
        problem::NotFound,
    ),
)]
pub async fn show_unsubscribe(State(app): State<Arc<App>>, PathText(token): PathText, _: NoParams) -> Result {
    let found = app.find_unsubscription(&token).await?;
    Ok(html_response(write_page(&found)))
}

/// Unsubscribe from an alert
///
/// Stops the mails of the alert to this recipient; others still get them. This is what the button of the page does, and what mail programs
/// do with the header `List-Unsubscribe` (RFC 8058). A body is accepted in any format and ignored. Doing it again is the same. To get mails
/// again, the recipient has to be removed from the alert and added anew.
#[web::operation(
    post, path = "/links/alerts/{token}", tag = "links", operation_id = "unsubscribe", security(),
    params(("token" = String, Path, description = "Token at the end of the link")),
    responses(
        (status = 200, description = "A page that says that it is done", body = String,
            content_type = "text/html; charset=utf-8"),
        problem::NotFound,
    ),
)]
// Mail programs call this from anywhere, so that there is no check of the origin: only the token authorises it, and all it can do is this.
// What they send is not looked at; the connection discards it.
pub async fn unsubscribe(State(app): State<Arc<App>>, PathText(token): PathText, _: NoParams) -> Result {
    let done = app.unsubscribe(&token).await?;
    Ok(html_response(write_page(&done)))
}

fn html_response(page: String) -> Response {
    let mut response = Response::new(Body::from(page));
    let headers = response.headers_mut();
    for (name, value) in [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::REFERRER_POLICY, "no-referrer"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

/// Writes the page: a question with a button, or that it is done.
fn write_page(found: &Unsubscription) -> String {
    let language = found.language;
    let values = [("rule", found.rule_name.as_str()), ("brand", found.brand_name.as_str())];
    let button = escape(alerts::UNSUBSCRIBE.get(language));
    let content = match found.is_done {
        true => format!(
            "<p>{}</p>\n<p>{}</p>",
            escape(&alerts::UNSUBSCRIBED.fill(language, &values)),
            escape(alerts::SUBSCRIBE_AGAIN.get(language)),
        ),
        false => format!(
            "<p>{}</p>\n<form method=\"post\"><button type=\"submit\">{button}</button></form>",
            escape(&alerts::UNSUBSCRIBE_QUESTION.fill(language, &values)),
        ),
    };
    format!(
        "<!doctype html>\n<html lang=\"{}\">\n<head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width\"><meta name=\"robots\" content=\"noindex\">\
         <title>{button}</title></head>\n\
         <body style=\"margin: 0; padding: 24px; font: 16px/1.5 sans-serif; color: #1a1a1a; background: #ffffff\">\n\
         <main style=\"max-width: 560px\">\n{content}\n</main>\n</body>\n</html>\n",
        language.as_str()
    )
}

/// Writes text so that nothing in it is markup.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use app::reports::texts::Language;

    use super::*;

    fn asked(language: Language) -> Unsubscription {
        Unsubscription {
            rule_name: "<b>Yard</b> & \"more\"".to_owned(),
            brand_name: "Acme's".to_owned(),
            language,
            is_done: false,
        }
    }

    #[test]
    fn the_page_asks_and_then_says_that_it_is_done() {
        let page = write_page(&asked(Language::English));
        assert!(page.contains("<html lang=\"en\">") && page.contains("<form method=\"post\">"), "{page}");
        assert!(page.contains("&lt;b&gt;Yard&lt;/b&gt; &amp; &quot;more&quot;"), "{page}");
        assert!(page.contains("Acme&#39;s") && !page.contains("<b>"), "{page}");
        let done = write_page(&Unsubscription { is_done: true, ..asked(Language::German) });
        assert!(done.contains("<html lang=\"de\">") && !done.contains("<form"), "{done}");
        assert!(done.contains("Sie erhalten keine Mails"), "{done}");
    }
}
