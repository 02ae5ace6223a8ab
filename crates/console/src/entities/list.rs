//! Machines or people as a list with their activity and their figures.

use app::{App, EntityEntry, EntityFilter, EntityOrder, EntitySort, Error};
use domain::access::{ReadInsights, WriteRegistry};
use domain::insights::IncursionFilter;
use domain::{Activity, EntityType, PageRequest};
use texts::console::machines as t;
use texts::values;
use web::{FromParams, ListParams, Query};

use super::parts::{activity_badge, option_of};
use crate::behind::link_of;
use crate::frame::Frame;
use crate::parts::{Cell, Column, Empty, MAX_CSV_ROWS, Pager, Plain, Row, Table, read_csv_format};
use crate::pickers::Pickers;

const DEFAULT_ORDER: EntityOrder = EntityOrder { by: EntitySort::Name, is_descending: false };
/// The same as a value of `sort`.
const DEFAULT_SORT: &str = "name";

pub struct EntityListParams {
    pub pickers: Pickers,
    pub q: Option<String>,
    pub activity: Option<Activity>,
    order: EntityOrder,
    /// The order as a value of `sort`.
    sort: String,
    pub csv: bool,
    list: ListParams,
}

impl FromParams for EntityListParams {
    fn read(query: &mut Query) -> Result<Self, Error> {
        let pickers = Pickers::read(query)?;
        let sort = query.one("sort", |text| Ok((EntityOrder::parse(text)?, text.to_owned())))?;
        let (order, sort) = sort.unwrap_or_else(|| (DEFAULT_ORDER, DEFAULT_SORT.to_owned()));
        Ok(Self {
            pickers,
            q: query.search("q")?,
            activity: query.one("activity", Activity::parse)?,
            order,
            sort,
            csv: read_csv_format(query)?,
            list: ListParams::read(query)?,
        })
    }
}

/// A choice of a filter above a list.
pub struct FilterOption {
    pub value: String,
    pub label: String,
    pub is_chosen: bool,
}

/// What is asked of the list, without the pickers.
pub struct EntityQuery {
    pub entity_type: EntityType,
    pub q: Option<String>,
    pub activity: Option<Activity>,
    pub order: EntityOrder,
    pub sort: String,
    pub page: PageRequest,
}

impl EntityListParams {
    /// Parts the pickers from the rest.
    pub fn split(self, entity_type: EntityType) -> (Pickers, EntityQuery) {
        let page = match self.csv {
            true => PageRequest { limit: MAX_CSV_ROWS, after: None },
            false => self.list.page(),
        };
        let Self { pickers, q, activity, order, sort, .. } = self;
        (pickers, EntityQuery { entity_type, q, activity, order, sort, page })
    }
}

impl EntityQuery {
    /// The choices of the filter by activity.
    pub fn activities(&self, frame: &Frame) -> Vec<FilterOption> {
        let all = FilterOption {
            value: String::new(),
            label: frame.text(t::NOT_ARCHIVED).to_owned(),
            is_chosen: self.activity.is_none(),
        };
        let of = |activity: Activity| FilterOption {
            value: activity.as_str().to_owned(),
            label: t::activity(frame.language, activity.as_str()).to_owned(),
            is_chosen: self.activity == Some(activity),
        };
        std::iter::once(all).chain(Activity::ALL.into_iter().map(of)).collect()
    }

    /// Reads the list. `none` is said where there is nothing at all.
    pub async fn table(
        &self,
        app: &App,
        frame: &Frame,
        facts: &IncursionFilter,
        (caption, none): (&str, Empty),
    ) -> Result<Table, Error> {
        let is_filtered = self.q.is_some()
            || self.activity.is_some()
            || !facts.worksites.is_empty()
            || !facts.projects.is_empty();
        let filter = EntityFilter {
            types: vec![self.entity_type],
            q: self.q.clone(),
            activities: self.activity.into_iter().collect(),
            facts: facts.clone(),
            order: self.order,
        };
        let caller = frame.caller::<ReadInsights>()?;
        let (found, total) = app.list_entities(&caller, &filter, &self.page, true).await?;
        let rows: Vec<Row> = found.rows.iter().map(|entry| self.row(frame, entry)).collect();
        let empty = match is_filtered {
            true => no_match(frame, self.path()),
            false => none,
        };
        let pager = Pager::of(frame, rows.len(), total, found.next.as_ref());
        Ok(Table::new(caption, self.columns(frame), rows, empty).paged(pager).with_csv(frame))
    }

    fn path(&self) -> &'static str {
        match self.entity_type {
            EntityType::Machine => "/machines",
            EntityType::Person => "/people",
        }
    }

    fn columns(&self, frame: &Frame) -> Vec<Column> {
        let word = |word: &str| values::measure(frame.language, word);
        let sort = self.sort.as_str();
        let name = match self.entity_type {
            EntityType::Machine => values::MACHINE,
            EntityType::Person => values::PERSON,
        };
        let mut columns = vec![Column::text(frame.text(name)).sorted(frame, "name", sort)];
        columns.push(Column::text(frame.text(t::ACTIVITY)));
        match self.entity_type {
            EntityType::Machine => columns.push(Column::text(frame.text(values::WORKSITE))),
            EntityType::Person => columns.push(Column::text(frame.text(values::TAG))),
        }
        columns.push(Column::text(frame.text(t::LAST_SEEN)).sorted(frame, "last_seen", sort));
        columns.push(Column::number(word("incursions")).sorted(frame, "incursions", sort));
        for measure in EntityEntry::MEASURES.into_iter().skip(1) {
            columns.push(Column::number(word(measure.as_str())));
        }
        columns.push(Column::number(frame.text(t::OPEN_ALARMS)));
        columns
    }

    fn row(&self, frame: &Frame, entry: &EntityEntry) -> Row {
        let (entity, id) = (&entry.entity, entry.entity.id.to_string());
        let page = frame.link(&format!("{}/{id}", self.path()));
        let (kind, parameter) = match self.entity_type {
            EntityType::Machine => (values::machine_kind(frame.language, &entity.kind), "machine_id"),
            EntityType::Person => (values::person_kind(frame.language, &entity.kind), "person_id"),
        };
        let place = match (self.entity_type, &entity.worksite) {
            (EntityType::Machine, Some((site, name, _))) => {
                Cell::link(name.as_str(), frame.link(&format!("/sites/{site}")))
            }
            (EntityType::Machine, None) => Cell::text(""),
            (EntityType::Person, _) => {
                let serials: Vec<&str> = entity.devices.iter().map(|device| device.serial.as_str()).collect();
                Cell::text(serials.join(", "))
            }
        };
        let mut cells = vec![
            Cell::head(entity.name.as_str(), page.as_str()).note(kind),
            Cell::badge(activity_badge(frame, entry.activity)),
            place,
            Cell::text(option_of(frame, entity.last_seen_at, t::NEVER_SEEN))
                .plain(Plain::time(entity.last_seen_at)),
        ];
        for (measure, figure) in EntityEntry::MEASURES.into_iter().zip(&entry.figures) {
            let shown = frame.formats().figure(measure, *figure);
            let cell = Cell::figure(&shown, link_of(frame, measure, &[(parameter, &id)]));
            cells.push(cell.plain(frame.formats().plain(measure, *figure)));
        }
        cells.push(match entry.alerts.own.len() {
            0 => Cell::text("").plain(Plain::whole(0)),
            number => Cell::link(number.to_string(), format!("{page}#alarms")),
        });
        Row::new(cells).muted(entity.archived_at.is_some())
    }
}

/// What a list says if its filters leave nothing.
pub fn no_match(frame: &Frame, path: &str) -> Empty {
    Empty {
        title: frame.text(t::NO_MATCH).to_owned(),
        reason: frame.text(t::NO_MATCH_REASON).to_owned(),
        action: Some((frame.text(t::ALL_OF_THEM).to_owned(), path.to_owned())),
    }
}

/// Where new records are added, for those who may.
pub fn add_link(frame: &Frame, text: texts::Text, path: &str) -> Option<(String, String)> {
    frame.may::<WriteRegistry>().then(|| (frame.text(text).to_owned(), path.to_owned()))
}
