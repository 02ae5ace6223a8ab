//! Reading query parameters. Unknown, invalid and repeated ones are refused by name.

use std::ops::RangeInclusive;

use app::Error;
use axum::extract::FromRequestParts;
use domain::{Invalid, Name, Timestamp};
use http::request::Parts;

use crate::response::error::Failure;

/// The maximum number of ids in one filter.
const MAX_IDS: usize = 100;

/// A type that is read from the query.
pub trait FromParams: Sized {
    /// Reads each parameter that belongs to the type.
    fn read(query: &mut Query) -> Result<Self, Error>;
}

/// The query of a request, parsed and validated.
pub struct Params<T>(pub T);

/// The query of a path without parameters.
pub struct NoParams;

/// The parameters of a query that have not been read yet.
pub struct Query {
    remaining: Vec<(String, String)>,
}

impl Query {
    /// Refuses names and values that are not UTF-8. They would become replacement characters, and a search for them would find nothing.
    fn new(query: &str) -> Result<Self, Error> {
        let mut remaining = Vec::new();
        for part in query.split('&').filter(|part| !part.is_empty()) {
            let (name, value) = form_urlencoded::parse(part.as_bytes()).next().unwrap_or_default();
            if !encodes_utf8(part) {
                let invalid = Invalid::new("invalid_encoding", "must be percent-encoded UTF-8");
                return Err(Error::bad_parameter(&shorten(&name), invalid));
            }
            remaining.push((name.into_owned(), value.into_owned()));
        }
        Ok(Self { remaining })
    }

    /// Reads a parameter that may be given once.
    pub fn one<T>(
        &mut self,
        name: &str,
        parse: impl FnOnce(&str) -> Result<T, Invalid>,
    ) -> Result<Option<T>, Error> {
        let mut values: Vec<String> = Vec::new();
        self.remaining.retain_mut(|(key, value)| {
            if key == name {
                values.push(std::mem::take(value));
            }
            key != name
        });
        let fault = |invalid| Error::bad_parameter(name, invalid);
        match values.as_slice() {
            [] => Ok(None),
            [value] if value.contains('\0') => {
                Err(fault(Invalid::new("control_character", "must not contain control characters")))
            }
            [value] => parse(value).map(Some).map_err(fault),
            _ => Err(fault(Invalid::new("repeated_parameter", "may be given only once"))),
        }
    }

    /// Reads a parameter that may be repeated. The values are returned sorted and without duplicates.
    pub fn many<T: Ord>(
        &mut self,
        name: &str,
        max_values: usize,
        parse: impl Fn(&str) -> Result<T, Invalid>,
    ) -> Result<Vec<T>, Error> {
        let fault = |invalid| Error::bad_parameter(name, invalid);
        let mut values = Vec::new();
        for (_, text) in self.remaining.extract_if(.., |(key, _)| key == name) {
            values.push(parse(&text).map_err(fault)?);
        }
        if values.len() > max_values {
            let invalid = Invalid::new("too_many", format!("may be given at most {max_values} times"));
            return Err(fault(invalid));
        }
        values.sort_unstable();
        values.dedup();
        Ok(values)
    }

    /// Reads a parameter that may be given once and whose values are separated by commas. Repeated values count once. Without the
    /// parameter there are none.
    pub fn comma_list<T: PartialEq>(
        &mut self,
        name: &str,
        max_values: usize,
        parse: impl Fn(&str) -> Result<T, Invalid>,
    ) -> Result<Vec<T>, Error> {
        let values = self.one(name, |text| {
            let mut values = Vec::new();
            for part in text.split(',') {
                let value = parse(part)?;
                if values.contains(&value) {
                    continue;
                }
                // Stops at the first value too many, because each is compared with all before it.
                if values.len() == max_values {
                    return Err(Invalid::new("too_many", format!("may have at most {max_values} values")));
                }
                values.push(value);
            }
            Ok(values)
        })?;
        Ok(values.unwrap_or_default())
    }

    /// Reads ids that are separated by commas, at most a hundred; none without the parameter.
    pub fn comma_ids(&mut self, name: &str) -> Result<Option<Vec<i64>>, Error> {
        let ids = self.comma_list(name, MAX_IDS, parse_id)?;
        Ok(Some(ids).filter(|ids| !ids.is_empty()))
    }

    /// Takes parameters out of the query under other names, for filters that another version of the API calls otherwise. Values that
    /// are separated by commas become values of a repeated parameter.
    pub fn take_renamed<'n>(
        &mut self,
        names: impl IntoIterator<Item = (String, &'n str)>,
    ) -> Result<Self, Error> {
        let mut remaining = Vec::new();
        for (name, renamed) in names {
            if let Some(text) = self.one(&name, |text| Ok(text.to_owned()))? {
                remaining.extend(text.split(',').map(|part| (renamed.to_owned(), part.to_owned())));
            }
        }
        Ok(Self { remaining })
    }

    /// Reads ids of records, at most a hundred.
    pub fn ids<T>(&mut self, name: &str, id: impl Fn(i64) -> T) -> Result<Vec<T>, Error> {
        Ok(self.many(name, MAX_IDS, parse_id)?.into_iter().map(id).collect())
    }

    /// Whether a parameter was given that has not been read yet.
    pub fn has(&self, name: &str) -> bool {
        self.remaining.iter().any(|(key, _)| key == name)
    }

    pub fn integer(&mut self, name: &str, range: RangeInclusive<i64>) -> Result<Option<i64>, Error> {
        self.one(name, |text| match text.parse() {
            Ok(number) if range.contains(&number) => Ok(number),
            _ => {
                let (min, max) = (range.start(), range.end());
                Err(Invalid::new("out_of_range", format!("must be a whole number from {min} to {max}")))
            }
        })
    }

    /// Reads a text to search for.
    pub fn search(&mut self, name: &str) -> Result<Option<String>, Error> {
        self.one(name, |text| {
            domain::text::check(text, Name::MAX_CHARS)?;
            if domain::text::is_blank(text) {
                return Err(Invalid::new("required", "must not be empty"));
            }
            Ok(text.to_owned())
        })
    }

    /// Reads `true` or `false`; the default is `false`.
    pub fn flag(&mut self, name: &str) -> Result<bool, Error> {
        Ok(self.optional_flag(name)?.unwrap_or(false))
    }

    /// Reads `true` or `false`, which has no default.
    pub fn optional_flag(&mut self, name: &str) -> Result<Option<bool>, Error> {
        self.one(name, |text| match text {
            "true" => Ok(true),
            "false" => Ok(false),
            _ => Err(Invalid::new("invalid_flag", "must be true or false")),
        })
    }

    /// Reads a time with an offset (RFC 3339).
    pub fn time(&mut self, name: &str) -> Result<Option<Timestamp>, Error> {
        self.one(name, Timestamp::parse)
    }

    /// Reads a short text, such as the name of a kind.
    pub fn short_text(&mut self, name: &str) -> Result<Option<String>, Error> {
        self.one(name, |text| match text.len() {
            1..=64 => Ok(text.to_owned()),
            _ => Err(Invalid::new("out_of_range", "must have 1 to 64 characters")),
        })
    }

    pub fn id(&mut self, name: &str) -> Result<Option<i64>, Error> {
        self.one(name, parse_id)
    }

    fn finish(self) -> Result<(), Error> {
        match self.remaining.first() {
            None => Ok(()),
            Some((name, _)) => Err(Error::bad_parameter(
                &shorten(name),
                Invalid::new("unknown_parameter", "is not a parameter of this path"),
            )),
        }
    }
}

/// Returns the beginning of the name of a parameter, for the text of an error.
fn shorten(name: &str) -> String {
    name.chars().take(64).collect()
}

/// Whether the bytes that a part of a query encodes are UTF-8.
fn encodes_utf8(part: &str) -> bool {
    let digit = |byte: &u8| char::from(*byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let mut decoded = Vec::with_capacity(part.len());
    let mut rest = part.as_bytes();
    while let [first, after @ ..] = rest {
        rest = after;
        let escaped = match (first, after) {
            (b'%', [high, low, ..]) => digit(high).zip(digit(low)),
            _ => None,
        };
        match escaped {
            Some((high, low)) => {
                decoded.push(high * 16 + low);
                rest = &after[2..];
            }
            None => decoded.push(*first),
        }
    }
    std::str::from_utf8(&decoded).is_ok()
}

fn parse_id(text: &str) -> Result<i64, Invalid> {
    text.parse().map_err(|_| Invalid::new("invalid_id", "must be a whole number"))
}

impl FromParams for NoParams {
    fn read(_: &mut Query) -> Result<Self, Error> {
        Ok(Self)
    }
}

impl<T: FromParams, S: Send + Sync> FromRequestParts<S> for Params<T> {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Failure> {
        let mut query = Query::new(parts.uri.query().unwrap_or_default())?;
        let value = T::read(&mut query)?;
        query.finish()?;
        Ok(Self(value))
    }
}

impl<S: Send + Sync> FromRequestParts<S> for NoParams {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Failure> {
        Params::from_request_parts(parts, state).await.map(|Params(none)| none)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    fn code(error: &Error) -> &str {
        error.fields[0].invalid.code
    }

    #[test]
    fn what_is_not_utf8_is_refused_by_name() {
        for query in ["q=%ff", "a=1&q=%c3%28", "q=%C3", "q%80=1", "q=%ed%a0%80"] {
            let Err(error) = Query::new(query) else { panic!("{query} is accepted") };
            assert_eq!(code(&error), "invalid_encoding", "{query}");
        }
        for query in ["", "&&", "q", "q=%c3%a9&x=é", "q=%", "q=%f", "q=%zz", "q=a+b", "q=%EF%BF%BD"] {
            assert!(Query::new(query).is_ok(), "{query}");
        }
        let mut query = Query::new("q=a+b%26c&q2=%zz").unwrap();
        assert_eq!(query.one("q", |text| Ok(text.to_owned())).unwrap().as_deref(), Some("a b&c"));
        assert_eq!(query.one("q2", |text| Ok(text.to_owned())).unwrap().as_deref(), Some("%zz"));
    }

    #[test]
    fn a_list_is_read_up_to_its_limit() {
        let list = |count: i64| (0..count).map(|id| id.to_string()).collect::<Vec<_>>().join(",");
        let read = Cell::new(0);
        let ids = |text: &str| {
            let mut query = Query::new(&format!("id={text}")).unwrap();
            query.comma_list("id", 100, |part| {
                read.set(read.get() + 1);
                parse_id(part)
            })
        };
        assert_eq!(ids(&list(100)).unwrap().len(), 100);
        assert_eq!(ids(&format!("{0},{0}", list(100))).unwrap().len(), 100, "repeated values count once");
        read.set(0);
        assert_eq!(code(&ids(&list(10_000)).unwrap_err()), "too_many");
        assert_eq!(read.get(), 101);
    }
}
