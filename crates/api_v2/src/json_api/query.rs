//! The query parameters of JSON:API: `include`, `fields`, `sort`, `page` and `filter`.

use std::marker::PhantomData;

use app::Error;
use domain::{Cursor, Direction, Invalid, ListOrder, ListRequest, Sorting, Window, WindowPosition};
use web::{FromParams, IfNoneMatchHeader, Query};

use super::resource::{Collection, Resource, ResourceDefinition};

const DEFAULT_SIZE: u16 = 50;
const MAX_PAGE_SIZE: u16 = 500;

/// The relationship paths of the `include` parameter.
#[derive(Clone, Debug, Default)]
pub struct Include(Option<Vec<String>>);

impl Include {
    fn read(query: &mut Query, known: &[&str]) -> Result<Self, Error> {
        let paths = query.one("include", |text| {
            let paths = text.split(',').filter(|_| !text.is_empty());
            let check = |path: &str| match known.contains(&path) {
                true => Ok(path.to_owned()),
                false => Err(unknown_value("unknown_include", path, "be included", known)),
            };
            paths.map(check).collect()
        })?;
        Ok(Self(paths))
    }

    /// Returns whether the request has the `include` parameter, even if it is empty.
    pub fn is_given(&self) -> bool {
        self.0.is_some()
    }

    /// Returns the condition only without `include`: the ETag of a resource does not cover its included resources.
    pub fn if_none_match(&self, known: IfNoneMatchHeader) -> Option<IfNoneMatchHeader> {
        (!self.is_given()).then_some(known)
    }

    /// Returns whether a relationship is included, by itself or as the first step of a longer path.
    pub fn includes(&self, relationship: &str) -> bool {
        self.paths().any(|path| path.split('.').next() == Some(relationship))
    }

    /// Returns the paths below a relationship.
    pub fn nested(&self, relationship: &str) -> Self {
        let within = |path: &str| path.strip_prefix(relationship)?.strip_prefix('.').map(str::to_owned);
        Self(Some(self.paths().filter_map(within).collect()))
    }

    fn paths(&self) -> impl Iterator<Item = &str> {
        self.0.iter().flatten().map(String::as_str)
    }
}

/// A type of resources in a document, and the names of the attributes that the document leaves out.
type ShownType = (&'static ResourceDefinition, &'static [&'static str]);

/// Returns the types of a document about a resource, which leaves out these of its attributes, and of what it can include.
pub(super) fn shown_types<R: Resource>(left_out: &'static [&'static str]) -> impl Iterator<Item = ShownType> {
    let included = R::INCLUDED_TYPES.iter().map(|one| (one.definition, one.not_listed));
    std::iter::once((R::DEFINITION, left_out)).chain(included)
}

/// Sparse fieldsets by type. A type that is not named shows all its fields.
#[derive(Clone, Debug, Default)]
pub struct Fieldsets(Vec<(&'static str, Vec<String>)>);

impl Fieldsets {
    fn read(query: &mut Query, types: impl Iterator<Item = ShownType>) -> Result<Self, Error> {
        let mut sets = Vec::new();
        for (shape, left_out) in types {
            let read = |text: &str| {
                let names = text.split(',').filter(|_| !text.is_empty());
                let check = |name: &str| match (shape.has_field(name), left_out.contains(&name)) {
                    (true, false) => Ok(name.to_owned()),
                    (true, true) => {
                        let message = format!("{name:?} is not in lists or among included {}", shape.kind);
                        Err(Invalid::new("not_supported", message))
                    }
                    (false, _) => {
                        let message = format!("{:?} is not a field of {}", truncated(name), shape.kind);
                        Err(Invalid::new("unknown_field", message))
                    }
                };
                names.map(check).collect()
            };
            if let Some(names) = query.one(&format!("fields[{}]", shape.kind), read)? {
                sets.push((shape.kind, names));
            }
        }
        Ok(Self(sets))
    }

    #[cfg(test)]
    pub(super) fn only(kind: &'static str, names: Vec<String>) -> Self {
        Self(vec![(kind, names)])
    }

    pub(super) fn shows(&self, kind: &str, field: &str) -> bool {
        self.of(kind).is_none_or(|names| names.iter().any(|name| name == field))
    }

    pub(super) fn shows_all(&self, kind: &str) -> bool {
        self.of(kind).is_none()
    }

    fn of(&self, kind: &str) -> Option<&[String]> {
        self.0.iter().find(|(known, _)| *known == kind).map(|(_, names)| names.as_slice())
    }
}

/// The query parameters of a single resource.
pub struct ResourceParams<R> {
    pub include: Include,
    pub(super) fields: Fieldsets,
    resource: PhantomData<fn() -> R>,
}

impl<R: Resource> ResourceParams<R> {
    /// Reads the parameters of a document that leaves out these attributes of the resource.
    fn read_without(left_out: &'static [&'static str], query: &mut Query) -> Result<Self, Error> {
        let fields = Fieldsets::read(query, shown_types::<R>(left_out))?;
        Ok(Self { include: Include::read(query, R::INCLUDES)?, fields, resource: PhantomData })
    }
}

impl<R: Resource> FromParams for ResourceParams<R> {
    fn read(query: &mut Query) -> Result<Self, Error> {
        Self::read_without(&[], query)
    }
}

/// The query parameters of a collection.
pub struct CollectionParams<R: Collection> {
    pub filter: R::Filter,
    pub sorting: Sorting,
    /// The version of the registry after which changes are requested, if they are.
    pub after_version: Option<i64>,
    /// Whether all resources that match the filters are counted.
    pub total: bool,
    pub window: Window,
    pub include: Include,
    pub(super) fields: Fieldsets,
}

impl<R: Collection> FromParams for CollectionParams<R> {
    fn read(query: &mut Query) -> Result<Self, Error> {
        let after_version = if R::HAS_VERSIONS { read_after_version::<R>(query)? } else { None };
        let filter = R::filter(query)?;
        let sorting = query.one("sort", sorting::<R>)?.unwrap_or(R::DEFAULT_SORTING);
        let total = query.flag("page[total]")?;
        let window = window(query)?;
        let ResourceParams { include, fields, .. } = ResourceParams::<R>::read_without(R::NOT_LISTED, query)?;
        Ok(Self { filter, sorting, after_version, total, window, include, fields })
    }
}

impl<R: Collection> CollectionParams<R> {
    /// Returns the request for a list of the registry.
    pub fn request(&self) -> ListRequest {
        let order = match self.after_version {
            Some(after) => ListOrder::ChangedAfter(after),
            None => ListOrder::Sorted(self.sorting),
        };
        ListRequest { order, window: self.window.clone(), include_total: self.total }
    }

    /// Refuses the changes of a list that another resource owns: a resource that moves to another owner would be missed.
    pub fn refuse_changes(&self) -> Result<(), Error> {
        match self.after_version {
            None => Ok(()),
            Some(_) => {
                let text = format!("can only be given to /api/v2/{}", R::DEFINITION.kind);
                Err(Error::bad_parameter(AFTER_VERSION, Invalid::new("not_supported", text)))
            }
        }
    }
}

/// The name of the parameter for incremental sync.
pub(super) const AFTER_VERSION: &str = "filter[after_version]";

/// Reads the version after which changes are requested. No filter may be given with it: a resource that a change moves out of a filter
/// would be missed.
fn read_after_version<R: Collection>(query: &mut Query) -> Result<Option<i64>, Error> {
    let after = query.integer(AFTER_VERSION, 0..=i64::MAX)?;
    let mut names = R::FILTERS.iter().map(|filter| filter.name).chain(["sort"]);
    match names.find(|name| after.is_some() && query.has(name)) {
        None => Ok(after),
        Some(name) => {
            let text = format!("must not be given together with {AFTER_VERSION}");
            Err(Error::bad_parameter(name, Invalid::new("not_with_after_version", text)))
        }
    }
}

/// The query parameters of a to-many relationship.
pub struct LinkageParams {
    pub window: Window,
}

impl FromParams for LinkageParams {
    fn read(query: &mut Query) -> Result<Self, Error> {
        Ok(Self { window: window(query)? })
    }
}

/// Returns the first page of a list, as a request without parameters gets it.
pub fn first_page() -> Window {
    Window { size: DEFAULT_SIZE, position: WindowPosition::Start }
}

fn sorting<R: Collection>(text: &str) -> Result<Sorting, Invalid> {
    let mut sorting: Option<Sorting> = None;
    for part in text.split(',') {
        let (name, direction) = match part.strip_prefix('-') {
            Some(name) => (name, Direction::Descending),
            None => (part, Direction::Ascending),
        };
        let Some((_, key)) = R::SORTS.iter().find(|(known, _)| *known == name) else {
            let known: Vec<_> = R::SORTS.iter().map(|(name, _)| *name).collect();
            return Err(unknown_value("invalid_sort", name, "be sorted by", &known));
        };
        sorting = match sorting {
            None => Some(Sorting::by(*key, direction)),
            Some(earlier) => Some(earlier.then_by(*key, direction).ok_or_else(|| {
                Invalid::new("invalid_sort", format!("{:?} can be given only once", truncated(name)))
            })?),
        };
    }
    Ok(sorting.unwrap_or(R::DEFAULT_SORTING))
}

fn window(query: &mut Query) -> Result<Window, Error> {
    let size = query.one("page[size]", |text| match text.parse() {
        Ok(size @ 1..=MAX_PAGE_SIZE) => Ok(size),
        _ => Err(Invalid::new("out_of_range", format!("must be a whole number from 1 to {MAX_PAGE_SIZE}"))),
    })?;
    let cursor = |text: &str| Ok(Cursor::from_client(text));
    let (after, before) = (query.one("page[after]", cursor)?, query.one("page[before]", cursor)?);
    let place = match (after, before) {
        (None, None) => WindowPosition::Start,
        (Some(cursor), None) => WindowPosition::After(cursor),
        (None, Some(cursor)) => WindowPosition::Before(cursor),
        (Some(_), Some(_)) => {
            let invalid = Invalid::new("ambiguous", "cannot be given together with page[after]");
            return Err(Error::bad_parameter("page[before]", invalid));
        }
    };
    Ok(Window { size: size.unwrap_or(DEFAULT_SIZE), position: place })
}

fn unknown_value(code: &'static str, given: &str, what: &str, known: &[&str]) -> Invalid {
    let message = match known {
        [] => format!("{:?} cannot {what}; nothing can", truncated(given)),
        _ => format!("{:?} cannot {what}; these can: {}", truncated(given), known.join(", ")),
    };
    Invalid::new(code, message)
}

fn truncated(text: &str) -> String {
    text.chars().take(64).collect()
}
