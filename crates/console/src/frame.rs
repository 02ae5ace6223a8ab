//! What is around every page: who reads it, in which language, at which address.

use std::sync::{Arc, Mutex, PoisonError};

use app::{Error, ErrorKind, LoadingHistory, Origin, UserIdentity};
use axum::extract::FromRequestParts;
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use domain::access::{ManageOwnSignIn, ReadNames, ReadRegistry};
use domain::locale::{DateFormat, Locale};
use domain::preferences::{BrandDefaults, PreferenceOverrides, Preferences};
use domain::{Day, Permission, Random, TimeZone, Timestamp};
use http::request::Parts;
use texts::console::shell as t;
use texts::{Counted, Language, Text};
use web::Failure;

use crate::address::Address;
use crate::done::Said;
use crate::formats::Formats;
use crate::page_settings::PageSettings;
use crate::{assets, problem};

/// The parameters of the pickers, which stay across pages.
const PICKERS: [&str; 6] = ["period", "from", "to", "project_id", "worksite_id", "compare"];

/// What is around every page. Handlers take it as an argument.
#[derive(Clone)]
pub struct Frame {
    pub language: Language,
    pub preferences: Preferences,
    /// The address of the request.
    pub address: Address,
    pub pickers: PickedLinks,
    pub now: Timestamp,
    /// The day by which the presets of the pickers count on every page.
    pub today: Day,
    pub origin: Origin,
    /// What was done just before.
    pub toast: Option<Said>,
    /// How much of the history is loaded, while it is.
    pub(crate) loading_history: Option<LoadingHistory>,
    /// Whether the page answers a form, at an address that may have no page.
    pub(crate) answers_form: bool,
    pub(crate) caller: Option<app::Caller<ManageOwnSignIn>>,
    settings: Arc<PageSettings>,
    random: Random,
    new_cookie: Arc<Mutex<Option<String>>>,
}

/// The parameters of the pickers at this address, which links carry on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PickedLinks(pub Vec<(String, String)>);

impl PickedLinks {
    fn of(address: &Address) -> Self {
        let picked = address.pairs().iter().filter(|(name, _)| PICKERS.contains(&name.as_str()));
        Self(picked.cloned().collect())
    }
}

/// An entry of the navigation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NavItem {
    pub text: &'static str,
    pub href: String,
    /// Whether the page belongs to it.
    pub is_current: bool,
}

/// Says how far the history is loaded.
pub struct HistoryNotice {
    pub percent: u8,
    pub text: String,
}

impl Frame {
    /// The frame of a reader who has not signed in.
    pub fn anonymous(
        language: Language,
        (address, origin, now): (Address, Origin, Timestamp),
        settings: Arc<PageSettings>,
        random: Random,
    ) -> Result<Self, Error> {
        let language_tag = Locale::parse(language.as_str());
        let brand = BrandDefaults {
            language: language_tag.map_err(|invalid| Error::internal(invalid.message.into_owned()))?,
            time_zone: TimeZone::utc(),
            date_format: DateFormat::DayMonthYear,
        };
        let preferences = Preferences::resolve(PreferenceOverrides::default(), brand);
        let today = day_in(&preferences.time_zone, now);
        let pickers = PickedLinks::of(&address);
        let new_cookie = Arc::default();
        let (toast, caller, answers_form, loading_history) = (None, None, false, None);
        Ok(Self {
            language,
            preferences,
            address,
            pickers,
            now,
            today,
            origin,
            toast,
            loading_history,
            answers_form,
            caller,
            settings,
            random,
            new_cookie,
        })
    }

    /// The frame of a reader with these preferences, who speaks their language.
    #[must_use]
    pub(crate) fn with_preferences(mut self, preferences: Preferences) -> Self {
        self.language = Language::of_tag(preferences.language.as_str());
        self.preferences = preferences;
        self
    }

    /// The same with the day that it is where the reader is, as far as it is that day at a site: a reader on another continent counts by
    /// the days of the sites.
    #[must_use]
    pub(crate) fn with_today(mut self, sites: &[TimeZone]) -> Self {
        let now = self.now;
        let own = day_in(&self.preferences.time_zone, now);
        let days = || sites.iter().map(move |zone| day_in(zone, now));
        self.today = match (days().min(), days().max()) {
            (Some(first), Some(last)) => own.clamp(first, last),
            _ => own,
        };
        self
    }

    pub fn text(&self, text: Text) -> &'static str {
        text.get(self.language)
    }

    pub fn fill(&self, text: Text, values: &[(&str, &str)]) -> String {
        text.fill(self.language, values)
    }

    pub fn count(&self, text: Counted, number: i64) -> String {
        text.of(self.language, number, &[])
    }

    pub fn formats(&self) -> Formats<'_> {
        Formats { language: self.language, preferences: &self.preferences, now: self.now }
    }

    /// Returns the reader, if someone is signed in.
    pub fn identity(&self) -> Option<&UserIdentity> {
        self.caller.as_ref().map(|caller| &*caller.identity)
    }

    /// Whether the reader may do this. What they may not do is not offered.
    pub fn may<P: Permission>(&self) -> bool {
        self.caller::<P>().is_ok()
    }

    /// Returns the reader with a permission.
    pub fn caller<P: Permission>(&self) -> Result<app::Caller<P>, Error> {
        match &self.caller {
            Some(caller) => caller.with_permission(),
            None => {
                let detail = "This page needs a session, and there is none.";
                Err(Error::new(ErrorKind::Unauthenticated, "credentials_missing", detail))
            }
        }
    }

    /// Whether the reader sees the names of people.
    pub fn sees_names(&self) -> bool {
        self.may::<ReadNames>()
    }

    /// Returns the address of another page, with the pickers of this one.
    pub fn link(&self, path: &str) -> String {
        self.link_with(path, &[])
    }

    /// The same with more parameters. One that a picker has too takes its place.
    pub fn link_with(&self, path: &str, pairs: &[(&str, &str)]) -> String {
        let mut address = Address::new(path);
        let own = address.clone();
        for (name, value) in &self.pickers.0 {
            let is_given = pairs.iter().any(|(given, _)| given == name) || own.first(name).is_some();
            if !is_given {
                address = address.and(name, value);
            }
        }
        for (name, value) in pairs {
            address = address.and(name, value);
        }
        address.to_string()
    }

    /// Returns the address of the incursions behind a number.
    pub fn incursions(&self, pairs: &[(&str, &str)]) -> String {
        self.link_with("/incursions", pairs)
    }

    /// Returns this address with a parameter set or removed, from its first page on.
    pub fn here(&self, name: &str, value: Option<&str>) -> String {
        let address = self.address.clone().without("cursor").without(name);
        match value {
            Some(value) => address.and(name, value).to_string(),
            None => address.to_string(),
        }
    }

    /// Returns the page to come back to after signing in, where it is not the address of the page that is shown.
    pub fn return_to(&self) -> Option<String> {
        self.answers_form.then(|| problem::page_of(self.address.path()))
    }

    /// Returns where undoing what was done posts to. It has the filters of this page, so that it can lead back into the same list.
    pub fn undo_at(&self, path: &str) -> String {
        let pairs = self.address.pairs().iter();
        pairs.fold(Address::new(path), |address, (name, value)| address.and(name, value)).to_string()
    }

    /// Returns a new key for a form that creates, so that sending it twice creates one record.
    pub fn once(&self) -> String {
        BASE64_URL_SAFE_NO_PAD.encode(self.random.bytes::<16>())
    }

    /// Returns the sections that the reader may open.
    pub fn navigation(&self) -> Vec<NavItem> {
        if self.caller.is_none() {
            return Vec::new();
        }
        let sections = [
            ("/", t::OVERVIEW),
            ("/incursions", t::INCURSIONS),
            ("/machines", t::MACHINES),
            ("/people", t::PEOPLE),
            ("/sites", t::SITES),
            ("/explore", t::EXPLORE),
            ("/outliers", t::OUTLIERS),
            ("/reports", t::REPORTS),
            ("/alerts", t::ALERTS),
            ("/visitors", t::VISITORS),
            ("/settings", t::SETTINGS),
        ];
        // Until the reader has a second factor that their role requires, there are only the settings.
        let reads = self.may::<ReadRegistry>();
        let open = sections.into_iter().filter(|(path, _)| reads || *path == "/settings");
        let item = |(path, text): (&str, Text)| NavItem {
            text: self.text(text),
            href: self.link(path),
            is_current: is_within(self.address.path(), path),
        };
        open.map(item).collect()
    }

    /// Returns how far the history is loaded, and what waits for it, while it is.
    pub fn history_notice(&self) -> Option<HistoryNotice> {
        let LoadingHistory { complete_from, percent } = self.loading_history?;
        let (day, share) =
            (self.formats().day(complete_from), texts::percent(self.language, f64::from(percent) / 100.0, 0));
        let text = self.fill(t::HISTORY_LOADING, &[("percent", &share), ("day", &day)]);
        Some(HistoryNotice { percent, text })
    }

    /// Returns the address of an asset, such as `console.css`.
    pub fn asset(&self, name: &str) -> &'static str {
        assets::address_of(name)
    }

    /// Sends a new session cookie with the answer, whatever it is.
    pub fn remember_cookie(&self, cookie: String) {
        *self.new_cookie.lock().unwrap_or_else(PoisonError::into_inner) = Some(cookie);
    }

    /// Whether the answer brings a new session cookie, as it does after a proof.
    pub(crate) fn has_new_cookie(&self) -> bool {
        self.new_cookie.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// Takes the new session cookie, if there is one.
    pub(crate) fn take_cookie(&self) -> Option<String> {
        self.new_cookie.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Returns the content security policy of pages.
    pub fn policy(&self) -> &str {
        self.settings.policy()
    }

    /// Returns the address of map tiles with `{z}`, `{x}` and `{y}`; empty for maps without a background.
    pub fn tile_url(&self) -> &str {
        self.settings.tile_url()
    }
}

fn day_in(zone: &TimeZone, at: Timestamp) -> Day {
    Day::from_number(zone.local(at).day)
}

/// Whether a page belongs to a section.
fn is_within(path: &str, section: &str) -> bool {
    let rest = path.strip_prefix(section);
    rest.is_some_and(|rest| rest.is_empty() || (section != "/" && rest.starts_with('/')))
}

impl<S: Send + Sync> FromRequestParts<S> for Frame {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Failure> {
        let frame = parts.extensions.get::<Self>().cloned();
        frame.ok_or_else(|| Error::internal("a page is not inside the frame layer").into())
    }
}

/// A frame of nobody, for the tests of parts.
#[cfg(test)]
pub(crate) fn sample(language: Language, address: &str) -> Frame {
    let settings = Arc::new(PageSettings::new(&crate::config::Config::default(), false, &[]));
    let origin = Origin { address: std::net::IpAddr::from([192, 0, 2, 1]), request_id: "request-1".into() };
    let now = Timestamp::from_seconds(1_772_366_400);
    Frame::anonymous(language, (Address::new(address), origin, now), settings, Random::seeded(1)).unwrap()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_carry_the_pickers_and_nothing_else() {
        let frame = sample(Language::English, "/machines?period=7d&project_id=3&sort=-name&cursor=abc");
        assert_eq!(frame.link("/people"), "/people?period=7d&project_id=3");
        assert_eq!(
            frame.incursions(&[("machine_id", "31"), ("project_id", "4")]),
            "/incursions?period=7d&machine_id=31&project_id=4"
        );
        assert_eq!(frame.link("/people?period=90d"), "/people?period=90d&project_id=3");
        assert_eq!(frame.here("sort", Some("name")), "/machines?period=7d&project_id=3&sort=name");
        assert_eq!(frame.here("sort", None), "/machines?period=7d&project_id=3");
        let frame = sample(Language::English, "/machines?project_id=3&project_id=4");
        assert_eq!(frame.link("/people"), "/people?project_id=3&project_id=4");
    }

    #[test]
    fn today_is_a_day_at_the_sites() {
        let zone = |name| TimeZone::parse(name).unwrap();
        // It is noon on 1 March for the reader.
        let today = |sites: &[TimeZone]| sample(Language::English, "/").with_today(sites).today.to_string();
        assert_eq!(today(&[]), "2026-03-01");
        assert_eq!(today(&[zone("Pacific/Auckland")]), "2026-03-02");
        assert_eq!(today(&[zone("Pacific/Auckland"), zone("Europe/London")]), "2026-03-01");
    }

    #[test]
    fn after_a_form_the_page_of_its_record_is_come_back_to() {
        let mut frame = sample(Language::English, "/settings/gateways/7/token");
        assert_eq!(frame.return_to(), None);
        frame.answers_form = true;
        assert_eq!(frame.return_to().as_deref(), Some("/settings/gateways/7"));
    }

    #[test]
    fn undoing_keeps_the_list() {
        let frame = sample(Language::English, "/incursions/3?zone=danger&machine_id=1");
        assert_eq!(frame.undo_at("/incursions/2/undo"), "/incursions/2/undo?zone=danger&machine_id=1");
        assert_eq!(sample(Language::English, "/sites/1").undo_at("/sites/1/restore"), "/sites/1/restore");
    }

    #[test]
    fn a_page_belongs_to_its_section() {
        assert!(is_within("/machines/7", "/machines") && is_within("/machines", "/machines"));
        assert!(is_within("/", "/") && !is_within("/machines", "/"));
        assert!(!is_within("/machinesx", "/machines"));
    }

    #[test]
    fn nobody_is_offered_nothing() {
        let frame = sample(Language::German, "/");
        assert!(frame.navigation().is_empty() && !frame.sees_names() && frame.identity().is_none());
        assert_eq!(frame.caller::<ReadRegistry>().unwrap_err().kind, ErrorKind::Unauthenticated);
        assert_eq!(frame.once().len(), 22);
        assert_ne!(frame.once(), frame.once());
    }
}
