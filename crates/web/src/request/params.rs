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
    fn new(query: &str) -> Self {
        Self { remaining: form_urlencoded::parse(query.as_bytes()).into_owned().collect() }
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
                if !values.contains(&value) {
                    values.push(value);
                }
            }
            match values.len() <= max_values {
                true => Ok(values),
                false => Err(Invalid::new("too_many", format!("may have at most {max_values} values"))),
            }
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
            if text.trim().is_empty() {
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
            Some((name, _)) => {
                let shown: String = name.chars().take(64).collect();
                Err(Error::bad_parameter(
                    &shown,
                    Invalid::new("unknown_parameter", "is not a parameter of this path"),
                ))
            }
        }
    }
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
        let mut query = Query::new(parts.uri.query().unwrap_or_default());
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
