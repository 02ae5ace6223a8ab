//! Who reads a mail: what they may see, and how it is written for them.

use domain::access::ReadInsights;
use domain::locale::Locale;
use domain::{AlertRecipient, BrandId, EmailAddress, Name, TimeZone, UserId};
use store::{Scope, Tx};
use texts::Language;

use crate::insights::QueryScope;
use crate::{App, Error, Names};

/// Why someone gets no mail to whom none can be addressed.
pub(super) const INVALID_ADDRESS: &str = "invalid_address";

/// A recipient, with what they may see now.
#[derive(Clone, Debug)]
pub(super) struct Reader {
    pub address: EmailAddress,
    /// None for a plain address.
    pub name: Option<Name>,
    pub language: Language,
    pub time_zone: TimeZone,
    /// A user's own, or the whole brand for a plain address.
    pub scope: Scope,
    pub names: Names,
}

impl Reader {
    pub fn query_scope(&self) -> QueryScope<'_> {
        QueryScope { scope: &self.scope, names: self.names }
    }
}

impl App {
    /// Returns the reader of a mail, or the reason why they get none. A plain address is never matched with a user: it gets what the brand
    /// allows for addresses.
    pub(super) async fn find_alert_reader(
        &self,
        brand: BrandId,
        recipient: &AlertRecipient,
    ) -> Result<Result<Reader, &'static str>, Error> {
        match (recipient.user, &recipient.email) {
            (Some(user), _) => self.find_user_reader(brand, user).await,
            (None, Some(email)) => {
                let Ok(address) = EmailAddress::parse(email) else { return Ok(Err(INVALID_ADDRESS)) };
                let scope = self.scope_of(brand);
                let settings = self.store.read().await?.brand_settings(&scope).await?.values;
                Ok(Ok(Reader {
                    address,
                    name: None,
                    language: language_of(&settings.locale),
                    time_zone: settings.time_zone,
                    scope,
                    names: if settings.alerts_show_names { Names::Shown } else { Names::Hidden },
                }))
            }
            (None, None) => Err(Error::internal("a recipient is neither a user nor an address")),
        }
    }

    async fn find_user_reader(
        &self,
        brand: BrandId,
        user: UserId,
    ) -> Result<Result<Reader, &'static str>, Error> {
        let author = match self.load_author::<ReadInsights>(brand, user).await? {
            Ok(author) => author,
            Err(lookup) => return Ok(Err(lookup.reason())),
        };
        let scope = self.scope_of(brand);
        let mut tx = self.store.read().await?;
        let Some(found) = tx.users_of(&scope).find_owner(user).await? else {
            return Ok(Err("user_deactivated"));
        };
        let preferences = tx.preferences(&scope, user).get().await?.effective();
        // Service accounts have no address.
        let Ok(address) = EmailAddress::parse(&found.email) else { return Ok(Err("no_address")) };
        Ok(Ok(Reader {
            address,
            name: Some(Name::parse_stored(&found.name).map_err(Error::internal)?),
            language: language_of(&preferences.language),
            time_zone: preferences.time_zone,
            scope: author.scope,
            names: author.names,
        }))
    }
}

/// Returns the language in which a recipient reads: that of the user, or of the brand.
pub(super) async fn find_language(
    tx: &mut Tx,
    scope: &Scope,
    recipient: &AlertRecipient,
) -> Result<Language, Error> {
    match recipient.user {
        Some(user) => Ok(language_of(&tx.preferences(scope, user).get().await?.effective().language)),
        None => Ok(language_of(&tx.brand_settings(scope).await?.values.locale)),
    }
}

fn language_of(locale: &Locale) -> Language {
    Language::of_tag(locale.as_str())
}
