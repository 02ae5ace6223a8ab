//! Reads what happened around a station, one kind at a time. The use case merges the kinds into one timeline.

use domain::event::Severity;
use domain::{
    DeviceEvent, IncursionDetails, IncursionId, Page, PageRequest, StationClip, StationMessage,
    StationRuntime, TimelineKind, Timestamp,
};

use crate::engine::page::{self, Count, CursorCodec as _};
use crate::engine::row::impl_from_word;
use crate::engine::statement::{Statement, sql};
use crate::facts::incursion_details::{COLUMNS, NAME_JOINS, REVIEW_JOIN};
use crate::facts::out_of_scope::Interval;
use crate::{Error, Scope, Tx, VisibleStation};

impl_from_word! { Severity, Severity::parse; }

/// Selects the rows of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimelineSelection {
    /// The newest rows of a period.
    Newest {
        from: Timestamp,
        /// Earlier than this time, or at this time with a smaller id.
        before: (Timestamp, i64),
        limit: i64,
    },
    /// The row with this id.
    One(i64),
}

/// The SQL that selects rows of a kind: the condition on a period, the condition on an id, and the order.
struct Bounds {
    within: &'static str,
    one: &'static str,
    order: &'static str,
}

const INCURSIONS: Bounds = Bounds {
    within: " and i.started_at >= $? and (i.started_at, i.id) < ($?, $?)",
    one: " and i.id = $?",
    order: " order by i.started_at desc, i.id desc",
};

const DEVICE_EVENTS: Bounds = Bounds {
    within: " and e.at >= $? and (e.at, e.id) < ($?, $?)",
    one: " and e.id = $?",
    order: " order by e.at desc, e.id desc",
};

const MESSAGES: Bounds = Bounds {
    within: " and s.queued_at >= $? and (s.queued_at, s.id) < ($?, $?)",
    one: " and s.id = $?",
    order: " order by s.queued_at desc, s.id desc",
};

/// No index has this order, but the clips of one station are few enough to sort.
const CLIPS: Bounds = Bounds {
    within: " and c.created_at >= $? and (c.created_at, c.id) < ($?, $?)",
    one: " and c.id = $?",
    order: " order by c.created_at desc, c.id desc",
};

const RUNTIME: Bounds = Bounds {
    within: " and p.started_at >= $? and (p.started_at, p.id) < ($?, $?)",
    one: " and p.id = $?",
    order: " order by p.started_at desc, p.id desc",
};

const CLIP_COLUMNS: &str =
    "select c.id, c.incursion_id, c.camera, c.from_at, c.to_at, c.state, c.reason, c.requested_by,
    u.kind as user_kind, u.name as user_name, c.created_at from video_clips c join users u on u.id = c.requested_by";

const RUNTIME_COLUMNS: &str = "select p.id, p.started_at, p.ended_at, p.operator_id, p.machine_id, p.worksite_id,
    d.name as operator_name, d.kind as operator_kind, m.name as machine_name, w.name as worksite_name
    from runtime_pieces p left join people d on d.id = p.operator_id left join machines m on m.id = p.machine_id
    left join worksites w on w.id = p.worksite_id";

impl Bounds {
    fn add(&self, statement: Statement, selection: TimelineSelection) -> Statement {
        match selection {
            TimelineSelection::One(id) => statement.push_with(self.one, [id.into()]),
            TimelineSelection::Newest { from, before: (at, id), limit } => statement
                .push_with(self.within, [from.into(), at.into(), id.into()])
                .push(self.order)
                .push_with(" limit $?", [limit.into()]),
        }
    }
}

/// The timeline of a station. Facts with a project are limited to the scope's projects; the station's own events and the messages sent to
/// it are limited to the times at which the station was visible.
pub struct Timeline<'a> {
    tx: &'a mut Tx,
    scope: &'a Scope,
    station: &'a VisibleStation,
    /// Only what belongs to these times, if there are any.
    times: Option<&'a [Interval]>,
}

impl Tx {
    pub fn timeline<'a>(&'a mut self, scope: &'a Scope, station: &'a VisibleStation) -> Timeline<'a> {
        Timeline { tx: self, scope, station, times: None }
    }
}

impl<'a> Timeline<'a> {
    /// Limits the timeline to what belongs to some times of the station, such as those on a machine: what it saw in them, the video
    /// that it recorded in them, whenever that was requested, and the messages that were sent in them or still waited when one of them
    /// began. Without times, it is not limited.
    #[must_use]
    pub fn within(self, times: Option<&'a [Interval]>) -> Self {
        Self { times, ..self }
    }

    /// Appends the condition that rows belong to the times.
    fn and_in_times(&self, statement: Statement, condition: &'static str) -> Statement {
        match self.times {
            Some(times) => statement.and_in_one_of(times, &[condition]),
            None => statement,
        }
    }
}

#[macros::boxed]
impl Timeline<'_> {
    /// Returns the incursions that the station reported, regardless of their review.
    pub async fn incursions(&mut self, selection: TimelineSelection) -> Result<Vec<IncursionDetails>, Error> {
        let statement = self.tx.select(&COLUMNS).push(" from (select i.* from incursions i");
        let statement = INCURSIONS
            .add(self.incursion_rows(statement), selection)
            .push(") i")
            .push(NAME_JOINS)
            .push(REVIEW_JOIN)
            .push(INCURSIONS.order);
        self.tx.all(statement).await
    }

    fn incursion_rows(&self, statement: Statement) -> Statement {
        let statement = statement
            .push_with(
                " where i.brand_id = $? and i.base_station_id = $?",
                [self.scope.brand().into(), self.station.id.into()],
            )
            .and_in_projects(self.scope.projects(), "i.project_id");
        self.and_in_times(statement, "i.started_at >= times.column1 and i.started_at < times.column2")
    }

    /// Returns the events of a kind that the station reported.
    pub async fn device_events(
        &mut self,
        kind: TimelineKind,
        selection: TimelineSelection,
    ) -> Result<Vec<DeviceEvent<serde_json::Value>>, Error> {
        let statement = self.device_event_rows(
            sql!(
                "select e.id, e.at, e.code, e.severity, e.text, e.tag_id, t.serial as tag_serial, e.details, e.received_at
                 from device_events e left join tags t on t.id = e.tag_id"
            ),
            kind,
        );
        self.tx.all(DEVICE_EVENTS.add(statement, selection)).await
    }

    fn device_event_rows(&self, statement: Statement, kind: TimelineKind) -> Statement {
        let of_kind = " where e.brand_id = $? and e.base_station_id = $? and e.kind = $?";
        let statement = statement
            .push_with(of_kind, [self.scope.brand().into(), self.station.id.into(), kind.as_str().into()])
            .and_visible_at(self.station, "e.at");
        self.and_in_times(statement, "e.at >= times.column1 and e.at < times.column2")
    }

    /// Returns the messages that were sent to the cab.
    pub async fn messages(&mut self, selection: TimelineSelection) -> Result<Vec<StationMessage>, Error> {
        let statement = self.message_rows(sql!(
            "select s.id, s.body, s.sent_by, u.kind as user_kind, u.name as user_name, s.queued_at, s.expires_at, s.delivered_at, s.displayed_at,
                 s.acknowledged_at
             from messages s join users u on u.id = s.sent_by"
        ));
        self.tx.all(MESSAGES.add(statement, selection)).await
    }

    fn message_rows(&self, statement: Statement) -> Statement {
        let of_station = " where s.brand_id = $? and s.base_station_id = $?";
        let statement = statement
            .push_with(of_station, [self.scope.brand().into(), self.station.id.into()])
            .and_visible_at(self.station, "s.queued_at");
        // What waits goes with its station, see `DeliveryProgress::is_waiting_at`.
        let condition = "s.queued_at < times.column2 and (s.queued_at >= times.column1
            or (s.expires_at > times.column1 and (s.delivered_at is null or s.delivered_at >= times.column1)))";
        self.and_in_times(statement, condition)
    }

    /// Returns the video clips that were requested from the station.
    pub async fn clips(&mut self, selection: TimelineSelection) -> Result<Vec<StationClip>, Error> {
        let statement = self.clip_rows(sql!(CLIP_COLUMNS));
        self.tx.all(CLIPS.add(statement, selection)).await
    }

    /// Returns up to a hundred video clips that overlap a period or belong to an incursion, in the order of their requests.
    pub async fn clips_of(
        &mut self,
        from: Timestamp,
        to: Timestamp,
        incursion: Option<IncursionId>,
    ) -> Result<Vec<StationClip>, Error> {
        let statement = self
            .clip_rows(sql!(CLIP_COLUMNS))
            .push_with(
                " and (c.incursion_id = $? or (c.from_at < $? and c.to_at > $?))",
                [incursion.into(), to.into(), from.into()],
            )
            .push(" order by c.id limit 100");
        self.tx.all(statement).await
    }

    fn clip_rows(&self, statement: Statement) -> Statement {
        let statement = statement
            .push_with(
                " where c.brand_id = $? and c.base_station_id = $?",
                [self.scope.brand().into(), self.station.id.into()],
            )
            .and_in_projects(self.scope.projects(), "c.project_id");
        self.and_in_times(statement, "c.from_at >= times.column1 and c.from_at < times.column2")
    }

    /// Returns the runtime of the station's machine.
    pub async fn runtime(&mut self, selection: TimelineSelection) -> Result<Vec<StationRuntime>, Error> {
        let statement = self.runtime_rows(sql!(RUNTIME_COLUMNS));
        self.tx.all(RUNTIME.add(statement, selection)).await
    }

    /// Returns the piece that contains a time. There is at most one, because pieces do not overlap; each is at most an hour long.
    pub async fn runtime_at(&mut self, at: Timestamp) -> Result<Option<StationRuntime>, Error> {
        let statement = self
            .runtime_rows(sql!(RUNTIME_COLUMNS))
            .push_with(
                " and p.started_at <= $? and p.started_at > $? and p.ended_at > $?",
                [at.into(), (at - domain::Span::minutes(120)).into(), at.into()],
            )
            .push(" order by p.started_at desc limit 1");
        self.tx.optional(statement).await
    }

    fn runtime_rows(&self, statement: Statement) -> Statement {
        let statement = statement
            .push_with(
                " where p.brand_id = $? and p.base_station_id = $? and p.ended_at > p.started_at",
                [self.scope.brand().into(), self.station.id.into()],
            )
            .and_in_projects(self.scope.projects(), "p.project_id");
        self.and_in_times(statement, "p.started_at >= times.column1 and p.started_at < times.column2")
    }

    /// Counts the rows of a kind at or after `from` and before `to`.
    pub async fn count(&mut self, kind: TimelineKind, from: Timestamp, to: Timestamp) -> Result<i64, Error> {
        let statement = match kind {
            TimelineKind::Incursion => self
                .incursion_rows(sql!("select count(*) as count from incursions i"))
                .push_with(" and i.started_at >= $? and i.started_at < $?", [from.into(), to.into()]),
            TimelineKind::Message => self
                .message_rows(sql!("select count(*) as count from messages s"))
                .push_with(" and s.queued_at >= $? and s.queued_at < $?", [from.into(), to.into()]),
            TimelineKind::VideoClip => self
                .clip_rows(sql!("select count(*) as count from video_clips c"))
                .push_with(" and c.created_at >= $? and c.created_at < $?", [from.into(), to.into()]),
            TimelineKind::Runtime => self
                .runtime_rows(sql!("select count(*) as count from runtime_pieces p"))
                .push_with(" and p.started_at >= $? and p.started_at < $?", [from.into(), to.into()]),
            TimelineKind::Alarm
            | TimelineKind::Log
            | TimelineKind::Status
            | TimelineKind::TagBattery
            | TimelineKind::TagTest => self
                .device_event_rows(sql!("select count(*) as count from device_events e"), kind)
                .push_with(" and e.at >= $? and e.at < $?", [from.into(), to.into()]),
        };
        let Count(count) = self.tx.one(statement).await?;
        Ok(count)
    }
}

/// The position of an entry in a timeline: newest first, then by kind, then largest id first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimelinePosition {
    pub at: Timestamp,
    pub kind: TimelineKind,
    pub id: i64,
}

impl TimelinePosition {
    /// Decodes the position from the cursor of this list, or none for the first page.
    pub fn after(list: &str, page: &PageRequest) -> Result<Option<Self>, Error> {
        let Some(cursor) = &page.after else { return Ok(None) };
        let (key, id) = cursor.decode(list).ok_or(Error::InvalidCursor)?;
        let read = || {
            let (at, kind) = key.split_once(' ')?;
            let at = Timestamp::from_micros(at.parse().ok()?);
            Some(Self { at, kind: TimelineKind::parse(kind).ok()?, id })
        };
        read().map(Some).ok_or(Error::InvalidCursor)
    }

    /// The upper bound of the rows of a kind that follow this position: an earlier time, or the same time with a smaller id.
    pub fn bound(self, kind: TimelineKind) -> (Timestamp, i64) {
        let id = match kind.cmp(&self.kind) {
            std::cmp::Ordering::Less => i64::MIN,
            std::cmp::Ordering::Equal => self.id,
            std::cmp::Ordering::Greater => i64::MAX,
        };
        (self.at, id)
    }

    /// Sorts the merged rows and cuts them to a page.
    pub fn page<T>(
        mut rows: Vec<T>,
        list: &str,
        page: &PageRequest,
        position: impl Fn(&T) -> Self,
    ) -> Page<T> {
        rows.sort_by_cached_key(|row| {
            let Self { at, kind, id } = position(row);
            (std::cmp::Reverse(at), kind, std::cmp::Reverse(id))
        });
        page::into_page_by(rows, list, page, |row| {
            let Self { at, kind, id } = position(row);
            (format!("{} {}", at.micros(), kind.as_str()), id)
        })
    }
}

#[cfg(test)]
mod tests {
    use domain::Cursor;

    use super::*;

    #[test]
    fn pages_of_what_happened_at_once_hold_everything_once() {
        let at = Timestamp::from_seconds(7);
        let mut rest = Vec::new();
        for kind in [TimelineKind::Runtime, TimelineKind::Log, TimelineKind::Incursion] {
            rest.extend([1, 2, 3].map(|id| TimelinePosition { at, kind, id }));
        }
        let (mut seen, mut request) = (Vec::new(), PageRequest { limit: 2, after: None });
        loop {
            let after = TimelinePosition::after("list", &request).unwrap();
            let is_left =
                |row: &&TimelinePosition| after.is_none_or(|after| (row.at, row.id) < after.bound(row.kind));
            let left = rest.iter().filter(is_left).copied().collect();
            let page = TimelinePosition::page(left, "list", &request, |row| *row);
            seen.extend(page.rows.iter().map(|row| (row.kind, row.id)));
            let Some(next) = page.next else { break };
            request.after = Some(next);
        }
        let of = |kind| [3, 2, 1].map(|id| (kind, id));
        let kinds = [TimelineKind::Incursion, TimelineKind::Log, TimelineKind::Runtime];
        assert_eq!(seen, kinds.map(of).concat());
        let foreign = Cursor::from_number("list", 7);
        assert!(TimelinePosition::after("list", &PageRequest { limit: 2, after: Some(foreign) }).is_err());
    }
}
