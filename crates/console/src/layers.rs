//! The layers around all pages: errors as pages, and the frame.

use std::sync::Arc;

use app::{Error, ErrorKind, Origin};
use axum::body::Body;
use axum::extract::{FromRequest, FromRequestParts, Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use domain::access::{ManageOwnPreferences, ManageOwnSignIn, ReadInsights};
use http::request::Parts;
use http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header};
use texts::Language;
use web::{Caller, DeferredBody, Edge, Failure};

use crate::address::Address;
use crate::done::{self, JustDone};
use crate::frame::Frame;
use crate::page_settings::PageSettings;
use crate::{form, pickers, problem, resume};

/// The pages that can be used while a password or a second factor is due.
const DUE_PAGES: [&str; 3] = ["/settings/password", "/settings/second-factor", "/sign-out"];
/// The pages that need no session. Who signs out after the session has ended is not asked to sign in for it.
const OPEN_PAGES: [&str; 4] = ["/sign-in", "/sign-out", "/invitations", "/password-resets"];

/// The state of the layers.
#[derive(Clone)]
pub struct PageState {
    pub edge: Arc<Edge>,
    pub settings: Arc<PageSettings>,
}

/// What the layer of errors needs of a request, which is gone when it has failed.
struct FailedRequest {
    method: Method,
    address: Address,
    origin: Origin,
    language: Language,
    back: Option<Address>,
}

/// Renders errors as pages for those who prefer pages. What they leave becomes problem details in the outermost layer.
pub async fn errors_layer(State(state): State<PageState>, request: Request, next: Next) -> Response {
    let asked = match request.extensions().get::<Origin>() {
        Some(origin) if web::prefers_page(request.headers()) => FailedRequest {
            method: request.method().clone(),
            address: Address::of(request.uri()),
            origin: origin.clone(),
            language: web::preferred_language(request.headers()),
            back: page_before(request.headers()),
        },
        _ => return next.run(request).await,
    };
    let mut response = next.run(request).await;
    let Some(frame) = frame_of(&response, &asked, &state) else { return response };
    let Some(failure) = web::take_failure(&mut response, asked.address.path(), &asked.origin) else {
        return response;
    };
    let is_read = matches!(asked.method, Method::GET | Method::HEAD);
    if failure.0.kind == ErrorKind::Unauthenticated && is_read {
        return to_sign_in(response, &asked.address);
    }
    match problem::write(&mut response, &frame, &failure.0, asked.back.as_ref()) {
        Ok(()) => response,
        Err(error) => Failure::from(error).into_response(),
    }
}

/// Returns the frame of the page that failed, or that of nobody if the request did not come so far.
fn frame_of(response: &Response, asked: &FailedRequest, state: &PageState) -> Option<Frame> {
    if let Some(frame) = response.extensions().get::<Frame>() {
        return Some(frame.clone());
    }
    let app = &state.edge.app;
    let place = (asked.address.clone(), asked.origin.clone(), app.clock.now());
    Frame::anonymous(asked.language, place, Arc::clone(&state.settings), app.random.clone()).ok()
}

/// Leads to sign-in, and back from there.
fn to_sign_in(mut response: Response, address: &Address) -> Response {
    let mut to = Address::new("/sign-in");
    if *address != Address::new("/") {
        to = to.and("next", &address.to_string());
    }
    set_redirect(&mut response, &to);
    response.headers_mut().remove(header::WWW_AUTHENTICATE);
    response
}

fn set_redirect(response: &mut Response, to: &Address) {
    *response.status_mut() = StatusCode::SEE_OTHER;
    let location = HeaderValue::try_from(to.to_string()).unwrap_or(HeaderValue::from_static("/sign-in"));
    response.headers_mut().insert(header::LOCATION, location);
}

/// Returns the page of ours that the reader came from.
fn page_before(headers: &HeaderMap) -> Option<Address> {
    let referer: Uri = headers.get(header::REFERER)?.to_str().ok()?.parse().ok()?;
    let host = headers.get(header::HOST)?.to_str().ok()?;
    let is_ours = referer.authority().is_some_and(|authority| authority.as_str() == host);
    is_ours.then(|| Address::local(referer.path_and_query()?.as_str())).flatten()
}

/// Builds the frame once per request, and finishes what it has collected when the page is made.
pub async fn frame_layer(State(state): State<PageState>, request: Request, next: Next) -> Response {
    let (mut parts, body) = request.into_parts();
    parts.uri = without_blank_parameters(&parts.uri);
    let frame = match build_frame(&state, &mut parts).await {
        Ok(frame) => frame,
        Err(failure) => return failure.into_response(),
    };
    parts.uri = with_days(&parts.uri, &frame);
    let mut response = match answer_instead(&frame, &parts) {
        Some(Instead::Answer(response)) => response,
        Some(Instead::AskToSignIn) => {
            ask_to_sign_in(&frame, Request::from_parts(parts, body)).await.into_response()
        }
        None => {
            parts.extensions.insert(frame.clone());
            next.run(Request::from_parts(parts, body)).await
        }
    };
    finish(&frame, &state, &mut response);
    response.extensions_mut().insert(frame);
    response
}

/// Asks whoever sent a form without a session to sign in, and keeps the form. Strangers send this, too, so that it counts against the
/// memory for bodies.
async fn ask_to_sign_in(frame: &Frame, request: Request) -> web::Result {
    let back = page_before(request.headers());
    let body = DeferredBody::from_request(request, &()).await?;
    let form = match body.read_bytes(form::MEDIA_TYPE, resume::MAX_BYTES).await {
        Ok(form) => Some(form),
        // There is no room now. The form can be sent again.
        Err(failure) if failure.0.kind == ErrorKind::Unavailable => return Err(failure),
        // What is too large or does not arrive is not kept; the reader learns that the session is over all the same.
        Err(_) => None,
    };
    resume::ask_to_sign_in(frame, back, form.as_deref().unwrap_or_default())
}

async fn build_frame(state: &PageState, parts: &mut Parts) -> Result<Frame, Failure> {
    let app = &state.edge.app;
    let caller = match Caller::<ManageOwnSignIn>::from_request_parts(parts, &()).await {
        Ok(Caller(caller)) => Some(caller),
        Err(failure) if failure.0.kind == ErrorKind::Unauthenticated => None,
        Err(failure) => return Err(failure),
    };
    let origin = parts.extensions.get::<Origin>().cloned();
    let origin = origin.ok_or_else(|| Error::internal("a page is not inside the request context layer"))?;
    let (language, address) = (web::preferred_language(&parts.headers), Address::of(&parts.uri));
    let settings = Arc::clone(&state.settings);
    let place = (address, origin, app.clock.now());
    let mut frame = Frame::anonymous(language, place, settings, app.random.clone())?;
    // Who must set up a second factor first may not read their preferences yet.
    if let Some(Ok(reader)) = caller.as_ref().map(app::Caller::with_permission::<ManageOwnPreferences>) {
        frame = frame.with_preferences(app.find_preferences(&reader).await?.effective());
    }
    frame.caller = caller;
    frame.answers_form = parts.method == Method::POST;
    if let Ok(reader) = frame.caller::<ReadInsights>() {
        let sites = match counts_from_today(&parts.uri) {
            true => app.visible_time_zones(&reader).await?,
            false => Vec::new(),
        };
        frame = frame.with_today(&sites);
        frame.loading_history = app.loading_history(reader.identity.brand());
    }
    if parts.method == Method::GET && web::prefers_page(&parts.headers) && is_shown(&parts.headers) {
        let named = web::cookie(&parts.headers, done::COOKIE);
        frame.toast = named.and_then(|value| done::read_cookie(value, state.settings.done, frame.language));
    }
    Ok(frame)
}

/// Whether a page counts days from today at the sites. The settings count none, but a link may bring a preset there.
fn counts_from_today(uri: &Uri) -> bool {
    pickers::needs_today(uri.query().unwrap_or_default(), !is_one_of(uri.path(), &["/settings"]))
}

/// Whether the browser shows the answer as a page. What an open page fetches by itself is not read, so it must not use up what is said
/// once.
fn is_shown(headers: &HeaderMap) -> bool {
    let is_page = headers.get("sec-fetch-dest").is_none_or(|destination| destination == "document");
    is_page && !headers.contains_key(web::OPEN_PAGE)
}

/// What is answered in place of a page.
enum Instead {
    Answer(Response),
    /// The session of whoever sent a form is over.
    AskToSignIn,
}

fn answer_instead(frame: &Frame, parts: &Parts) -> Option<Instead> {
    let path = parts.uri.path();
    let is_read = matches!(parts.method, Method::GET | Method::HEAD);
    let Some(identity) = frame.identity() else {
        let keeps_form = parts.method == Method::POST
            && web::prefers_page(&parts.headers)
            && is_form(&parts.headers)
            && !is_one_of(path, &OPEN_PAGES);
        return keeps_form.then_some(Instead::AskToSignIn);
    };
    let (page, code, detail) = if identity.password_change_due {
        ("/settings/password", "password_change_due", "Choose a password of your own first.")
    } else if identity.second_factor_due() {
        ("/settings/second-factor", "second_factor_required", "Your role requires a second factor.")
    } else {
        return None;
    };
    if is_one_of(path, &DUE_PAGES) || is_one_of(path, &OPEN_PAGES) {
        return None;
    }
    // A password that is due is no matter of access, as in V1: people are led to choose one, and programs read on with the session. What a
    // second factor is needed for is refused with the permission, whoever asks.
    if is_read && !web::prefers_page(&parts.headers) {
        return None;
    }
    Some(Instead::Answer(match is_read {
        true => {
            let mut response = Response::new(Body::empty());
            set_redirect(&mut response, &Address::new(page).and("next", &frame.address.to_string()));
            response
        }
        false => Failure::from(Error::new(ErrorKind::Forbidden, code, detail)).into_response(),
    }))
}

/// Whether a path is one of these pages, or below one.
fn is_one_of(path: &str, pages: &[&str]) -> bool {
    pages.iter().any(|page| {
        let rest = path.strip_prefix(page);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    })
}

fn is_form(headers: &HeaderMap) -> bool {
    let media_type = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let media_type = media_type.and_then(|text| text.split(';').next()).unwrap_or_default();
    media_type.trim().eq_ignore_ascii_case("application/x-www-form-urlencoded")
}

/// Sends what the page has collected: a new session cookie, and what was done.
fn finish(frame: &Frame, state: &PageState, response: &mut Response) {
    let is_https = state.settings.is_https;
    let session =
        frame.take_cookie().map(|cookie| web::set_session_cookie(&cookie, &state.edge.config.server));
    let done = match response.extensions_mut().remove::<JustDone>() {
        Some(just) => Some(just.cookie(is_https)),
        // It has been said.
        None if frame.toast.is_some() && is_page(response) => Some(done::clear_cookie(is_https)),
        None => None,
    };
    for cookie in [session, done].into_iter().flatten() {
        if let Ok(cookie) = HeaderValue::try_from(cookie) {
            response.headers_mut().append(header::SET_COOKIE, cookie);
        }
    }
}

fn is_page(response: &Response) -> bool {
    let media_type = response.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    media_type.is_some_and(|media_type| media_type.starts_with("text/html"))
}

/// Removes parameters without a value, which forms send for fields that were left empty.
fn without_blank_parameters(uri: &Uri) -> Uri {
    let Some(query) = uri.query() else { return uri.clone() };
    let given =
        query.split('&').filter(|part| part.split_once('=').is_some_and(|(_, value)| !value.is_empty()));
    with_query(uri, &given.collect::<Vec<_>>().join("&"))
}

/// Replaces a preset of the pickers by the days that it means now. The links of the page keep the preset, which is in the frame.
fn with_days(uri: &Uri, frame: &Frame) -> Uri {
    let week_start = frame.preferences.first_day_of_week;
    let resolved = uri.query().and_then(|query| pickers::resolve_query(query, frame.today, week_start));
    resolved.map_or_else(|| uri.clone(), |query| with_query(uri, &query))
}

fn with_query(uri: &Uri, query: &str) -> Uri {
    let path = if query.is_empty() { uri.path().to_owned() } else { format!("{}?{query}", uri.path()) };
    let mut parts = uri.clone().into_parts();
    match path.parse() {
        Ok(path) => parts.path_and_query = Some(path),
        Err(_) => return uri.clone(),
    }
    Uri::from_parts(parts).unwrap_or_else(|_| uri.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blank_parameters_are_dropped() {
        for (given, left) in [
            ("/machines?project_id=&q=a&from=", "/machines?q=a"),
            ("/machines?project_id=", "/machines"),
            ("/machines?flag", "/machines"),
            ("/machines?q=a%20b&q=c", "/machines?q=a%20b&q=c"),
            ("/machines", "/machines"),
        ] {
            assert_eq!(without_blank_parameters(&given.parse().unwrap()).to_string(), left);
        }
    }

    #[test]
    fn only_pages_that_count_from_today_ask_which_day_it_is_at_the_sites() {
        for (uri, expected) in [
            ("/", true),
            ("/machines/7?sort=name", true),
            ("/charts/trends?period=7d", true),
            ("/charts/trends?period=7d&from=2026-02-01", true),
            ("/charts/trends?period=custom&from=2026-02-01", false),
            ("/charts/trends?from=2026-02-01", false),
            ("/incursions?to=2026-02-01", false),
            ("/settings/users", false),
            ("/settings/users?period=7d", true),
            ("/settingsx", true),
        ] {
            assert_eq!(counts_from_today(&uri.parse().unwrap()), expected, "{uri}");
        }
    }

    #[test]
    fn only_pages_of_ours_are_gone_back_to() {
        let back = |referer: &'static str| {
            let pairs = [
                (header::HOST, HeaderValue::from_static("safety.example.com")),
                (header::REFERER, HeaderValue::from_static(referer)),
            ];
            page_before(&HeaderMap::from_iter(pairs)).map(|address| address.to_string())
        };
        assert_eq!(back("https://safety.example.com/people?q=a").as_deref(), Some("/people?q=a"));
        assert_eq!(back("https://other.example.com/people"), None);
        assert_eq!(back("https://safety.example.com//other.example.com"), None);
        assert_eq!(back("/people"), None);
    }

    #[test]
    fn what_a_page_fetches_by_itself_is_not_shown() {
        let from = |destination: &'static str| {
            HeaderMap::from_iter([(
                http::HeaderName::from_static("sec-fetch-dest"),
                HeaderValue::from_static(destination),
            )])
        };
        assert!(is_shown(&HeaderMap::new()) && is_shown(&from("document")));
        assert!(!is_shown(&from("empty")) && !is_shown(&from("image")));
        // Over plain http, browsers do not say what they fetch.
        let by_script = (http::HeaderName::from_static(web::OPEN_PAGE), HeaderValue::from_static("1"));
        assert!(!is_shown(&HeaderMap::from_iter([by_script])));
    }

    #[test]
    fn pages_are_recognised_by_whole_segments() {
        assert!(is_one_of("/sign-in", &OPEN_PAGES) && is_one_of("/invitations/abc", &OPEN_PAGES));
        assert!(!is_one_of("/sign-inx", &OPEN_PAGES) && !is_one_of("/settings", &DUE_PAGES));
    }
}
