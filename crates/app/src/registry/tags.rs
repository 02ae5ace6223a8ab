//! Tags: registration, changes, tests and current state.

use std::collections::HashMap;

use domain::{
    Assignment, Change, IncursionSummary, Invalid, ListRequest, Listing, Page, PageRequest, Percent,
    PersonId, Serial, Slice, Span, StoredResponse, TagDetails, TagFilter, TagFlag, TagId, TagRole, TagState,
    TagTest, TagThresholds, Timestamp,
};
use serde_json::json;
use store::{ExcludedWearers, NewTagTest, Scope, Tx};

use crate::accounts::out_of_scope_people::OutOfScopePeople;
use crate::registry::base_stations::RECENT_PERIOD;
use crate::registry::effective_dates::MAX_EVENT_AGE;
use crate::registry::listing::ListQuery;
use crate::{App, Editor, Error, Idempotent, IfMatch, Names, Reader, Tester};

/// Maximum lead of a device's clock over ours.
const MAX_CLOCK_LEAD: Span = Span::minutes(5);

/// A tag with its wearer, its last test and its state by the brand's settings.
#[derive(Clone, Debug)]
pub struct TagView {
    pub details: TagDetails,
    pub state: TagState,
    /// The conditions that need attention.
    pub flags: Vec<TagFlag>,
    /// Whole days since the last test, or `None` if it was never tested.
    pub days_since_last_test: Option<i64>,
    /// Incursions of the last thirty days, as far as they are visible to the caller.
    pub incursions: IncursionSummary,
}

/// A change of a tag. Its serial cannot be changed.
#[derive(Clone, Debug, Default)]
pub struct TagChange {
    pub role: Change<TagRole>,
    pub retired: Change<bool>,
}

/// The result of a tag test, as a tester device sends it.
#[derive(Clone, Debug)]
pub struct TagTestResult {
    /// The tag's serial; an unknown one is registered.
    pub serial: Serial,
    pub passed: bool,
    /// The battery level.
    pub battery: Option<Percent>,
    /// Time of the test; `None` means now.
    pub tested_at: Option<Timestamp>,
}

impl TagView {
    /// The time over which its incursions are counted, up to now.
    pub const RECENT_PERIOD: Span = RECENT_PERIOD;

    fn new(details: TagDetails, limits: &TagThresholds, names: Names, incursions: IncursionSummary) -> Self {
        let facts = details.facts();
        Self {
            state: facts.state(),
            flags: limits.flags(&facts),
            days_since_last_test: facts.tested_at.map(|at| limits.days_since(at)),
            details: names.redact_record(details),
            incursions,
        }
    }

    /// Removes the time at which the tag of an out-of-scope person was last seen.
    fn redact_last_seen(&mut self, out_of_scope: &OutOfScopePeople) {
        if self.details.person.as_ref().is_some_and(|person| out_of_scope.contains(person.id)) {
            self.details.tag.last_seen_at = None;
            self.flags.retain(|flag| *flag != TagFlag::Silent);
        }
    }
}

#[macros::boxed]
impl App {
    /// Lists a page of the brand's tags, in an order or as they changed, with the total if requested.
    pub async fn list_tags(
        &self,
        reader: &Reader<'_>,
        filter: &TagFilter,
        request: &ListRequest,
    ) -> Result<Listing<TagView>, Error> {
        let out_of_scope = self.find_out_of_scope_people(reader.scope).await?;
        // Whether the tag of an out-of-scope person is silent is not shown, so tags cannot be found by it either.
        let excluded_wearers = match filter.flags.contains(&TagFlag::Silent) {
            true => out_of_scope.excluded_wearers(),
            false => ExcludedWearers::Nobody,
        };
        let (scope, excluded) = (reader.scope, &excluded_wearers);
        let mut tx = self.store.read().await?;
        let query = ListQuery::new(&mut tx, scope, request).await?;
        let filter = TagFilter { rows: query.rows(&filter.rows), ..filter.clone() };
        let limits = self.tag_limits(&mut tx, scope).await?;
        let slice = tx
            .tags_in_detail(scope)
            .slice(&filter, excluded, &limits, query.sorting, &request.window)
            .await?;
        let total = match request.include_total {
            true => Some(tx.tags_in_detail(scope).count(&filter, excluded, &limits).await?),
            false => None,
        };
        let changes = query.changes(&slice);
        let Slice { rows, previous, next } = slice;
        let rows = self.build_tag_views(&mut tx, reader, &limits, rows, &out_of_scope).await?;
        Ok(Listing::new(Slice { rows, previous, next }, total, changes))
    }

    pub async fn find_tag(&self, reader: &Reader<'_>, id: TagId) -> Result<TagView, Error> {
        let mut tx = self.store.read().await?;
        self.find_tag_view(&mut tx, reader, id).await
    }

    /// Finds those of these tags that exist, retired or not.
    pub async fn find_tags_by_id(&self, reader: &Reader<'_>, ids: &[TagId]) -> Result<Vec<TagView>, Error> {
        let out_of_scope = self.find_out_of_scope_people(reader.scope).await?;
        let mut tx = self.store.read().await?;
        let limits = self.tag_limits(&mut tx, reader.scope).await?;
        let found = tx.tags_in_detail(reader.scope).among(ids).await?;
        self.build_tag_views(&mut tx, reader, &limits, found, &out_of_scope).await
    }

    /// Finds the serials of those of these tags that exist, retired or not, without reading who wears them.
    pub async fn find_tag_serials(
        &self,
        reader: &Reader<'_>,
        ids: &[TagId],
    ) -> Result<HashMap<TagId, String>, Error> {
        let ids: Vec<i64> = ids.iter().map(|id| id.0).collect();
        let mut tx = self.store.read().await?;
        let found = tx.labels(reader.scope).tags(&ids).await?;
        Ok(found.into_iter().map(|(id, serial)| (TagId(id), serial)).collect())
    }

    /// Lists the tags that these people wear now, by serial, up to `max`.
    pub async fn tags_worn_by(
        &self,
        reader: &Reader<'_>,
        people: &[PersonId],
        max: i64,
    ) -> Result<Vec<TagView>, Error> {
        let out_of_scope = self.find_out_of_scope_people(reader.scope).await?;
        let mut tx = self.store.read().await?;
        let limits = self.tag_limits(&mut tx, reader.scope).await?;
        let found = tx.tags_in_detail(reader.scope).worn_by(people, max).await?;
        self.build_tag_views(&mut tx, reader, &limits, found, &out_of_scope).await
    }

    /// Finds a tag by its serial, for the screen of a tester device.
    pub async fn find_tag_by_serial(&self, reader: &Reader<'_>, serial: &Serial) -> Result<TagView, Error> {
        let mut tx = self.store.read().await?;
        let found = tx.tags_in_detail(reader.scope).by_serial(serial).await?.ok_or_else(tag_not_found)?;
        self.build_tag_view(&mut tx, reader, found).await
    }

    /// Lists a page of a tag's tests, the latest first, with the total if requested.
    pub async fn list_tests_of_tag(
        &self,
        reader: &Reader<'_>,
        id: TagId,
        page: &PageRequest,
        include_total: bool,
    ) -> Result<(Page<TagTest>, Option<i64>), Error> {
        let mut tx = self.store.read().await?;
        tx.tags(reader.scope).find(id).await?.ok_or_else(tag_not_found)?;
        let found = tx.tag_tests(reader.scope).page(id, page).await?;
        let total = if include_total { Some(tx.tag_tests(reader.scope).count(id).await?) } else { None };
        Ok((reader.names.redact_page(found), total))
    }

    /// Lists a page of a tag's assignments, the latest first, with the total if requested.
    pub async fn list_assignments_of_tag(
        &self,
        reader: &Reader<'_>,
        id: TagId,
        page: &PageRequest,
        include_total: bool,
    ) -> Result<(Page<Assignment>, Option<i64>), Error> {
        let mut tx = self.store.read().await?;
        tx.tags(reader.scope).find(id).await?.ok_or_else(tag_not_found)?;
        let found = tx.tag_assignments(reader.scope).history(id, page).await?;
        let filter = domain::AssignmentFilter { tag: Some(id), ..Default::default() };
        let total = match include_total {
            true => Some(tx.tag_assignments(reader.scope).count(&filter).await?),
            false => None,
        };
        Ok((reader.redact_page(found), total))
    }

    pub async fn create_tag(
        &self,
        editor: &Editor<'_>,
        (serial, role): (&Serial, TagRole),
        idempotent: Idempotent<'_, TagView>,
    ) -> Result<StoredResponse, Error> {
        self.run_idempotent(idempotent, async |tx| {
            tx.lock_and_bump_registry(editor.scope).await?;
            let id = self.add_tag(tx, editor, (serial, role)).await?;
            self.find_tag_view(tx, &editor.reader(), id).await
        })
        .await
    }

    /// Registers a tag in a transaction that has already locked the registry.
    pub(crate) async fn add_tag(
        &self,
        tx: &mut Tx,
        editor: &Editor<'_>,
        (serial, role): (&Serial, TagRole),
    ) -> Result<TagId, Error> {
        let tag = match tx.tags(editor.scope).add(serial, role, self.clock.now()).await {
            Err(store::Error::Duplicate(_)) => {
                let taken = Invalid::new("serial_taken", "is the serial of another tag");
                return Err(Error::invalid_field("serial", taken));
            }
            other => other?,
        };
        let after = json!({ "serial": tag.serial, "role": tag.role });
        let entry = editor.audit_entry().on("tag.created", "tag", tag.id.0);
        self.record_audit(tx, entry.with_details(json!({ "after": after }))).await?;
        Ok(tag.id)
    }

    /// Changes a tag. If it is retired, its open assignment ends.
    pub async fn change_tag(
        &self,
        editor: &Editor<'_>,
        id: TagId,
        if_match: &IfMatch,
        change: TagChange,
    ) -> Result<TagView, Error> {
        let now = self.clock.now();
        let mut tx = self.store.begin().await?;
        tx.lock_and_bump_registry(editor.scope).await?;
        let before = tx.tags(editor.scope).find_locked(id).await?.ok_or_else(tag_not_found)?;
        if_match.check(before.version)?;
        let role = change.role.or(before.role);
        let retired_at = match change.retired {
            Change::Keep => before.retired_at,
            Change::Set(false) => None,
            Change::Set(true) => Some(before.retired_at.unwrap_or(now)),
        };
        if (role, retired_at) == (before.role, before.retired_at) {
            return self.find_tag_view(&mut tx, &editor.reader(), id).await;
        }
        if let Some(open) = tx.tag_assignments(editor.scope).open_of(id).await? {
            self.guard_assignment(&mut tx, editor, &open).await?;
            if retired_at.is_some() {
                self.end_assignment(&mut tx, editor, &open, now).await?;
            }
        }
        tx.tags(editor.scope).change(id, role, retired_at, now).await?;
        let was = json!({ "role": before.role, "retired_at": before.retired_at });
        let is = json!({ "role": role, "retired_at": retired_at });
        let entry = editor.audit_entry().on("tag.changed", "tag", id.0);
        self.record_audit(&mut tx, entry.with_details(json!({ "before": was, "after": is }))).await?;
        let view = self.find_tag_view(&mut tx, &editor.reader(), id).await?;
        tx.commit().await?;
        Ok(view)
    }

    /// Records a test of a tag.
    pub async fn record_tag_test(
        &self,
        tester: &Tester,
        result: &TagTestResult,
        idempotent: Idempotent<'_, TagTest>,
    ) -> Result<StoredResponse, Error> {
        let now = self.clock.now();
        let tested_at = result.tested_at.unwrap_or(now);
        let scope = &tester.scope;
        let effect = async |tx: &mut Tx| {
            // Checked inside: the retry of a request that was in time gets the same response as then.
            if tested_at > now + MAX_CLOCK_LEAD || tested_at < now - MAX_EVENT_AGE {
                let text = "must not be more than 5 minutes ahead or 400 days old";
                return Err(Error::invalid_field("tested_at", Invalid::new("bad_time", text)));
            }
            tx.lock_and_bump_registry(scope).await?;
            let tag = tx.tags(scope).ensure(&result.serial, now).await?;
            let latest = tx.tag_tests(scope).last_of(tag.id).await?;
            let new = NewTagTest {
                tag: tag.id,
                device: Some(tester.device),
                base_station: None,
                tested_at,
                passed: result.passed,
                battery: result.battery,
            };
            let test = tx.tag_tests(scope).add(&new, now).await?;
            // A test that arrives late says nothing about the current battery level.
            let battery = result.battery.filter(|_| latest.is_none_or(|latest| latest <= tested_at));
            tx.tags(scope).record_contact(tag.id, tested_at.min(now), battery, now).await?;
            let entry = tester.editor().audit_entry().on("tag_test.created", "tag_test", test.id.0);
            self.record_audit(tx, entry.with_details(json!({ "tag_id": tag.id, "passed": test.passed })))
                .await?;
            Ok(test)
        };
        self.run_idempotent_for_person(
            idempotent,
            |test| test.person.as_ref().map(|person| person.id),
            effect,
        )
        .await
    }

    async fn find_tag_view(&self, tx: &mut Tx, reader: &Reader<'_>, id: TagId) -> Result<TagView, Error> {
        let found = tx.tags_in_detail(reader.scope).find(id).await?.ok_or_else(tag_not_found)?;
        self.build_tag_view(tx, reader, found).await
    }

    async fn build_tag_view(
        &self,
        tx: &mut Tx,
        reader: &Reader<'_>,
        details: TagDetails,
    ) -> Result<TagView, Error> {
        let limits = self.tag_limits(tx, reader.scope).await?;
        let wearer = details.person.as_ref().map(|person| person.id);
        let out_of_scope = self.check_person_scope(tx, reader.scope, wearer).await?;
        self.build_tag_views(tx, reader, &limits, vec![details], &out_of_scope)
            .await?
            .pop()
            .ok_or_else(tag_not_found)
    }

    /// Builds the views of several tags with one query for their incursions.
    async fn build_tag_views(
        &self,
        tx: &mut Tx,
        reader: &Reader<'_>,
        limits: &TagThresholds,
        rows: Vec<TagDetails>,
        out_of_scope: &OutOfScopePeople,
    ) -> Result<Vec<TagView>, Error> {
        let ids: Vec<TagId> = rows.iter().map(|details| details.tag.id).collect();
        let since = self.clock.now() - RECENT_PERIOD;
        let incursions = tx.incursion_summaries(reader.scope).of_tags(&ids, since).await?;
        let view = |details: TagDetails| {
            let of_tag = incursions.get(&details.tag.id).copied().unwrap_or_default();
            let mut view = TagView::new(details, limits, reader.names, of_tag);
            view.redact_last_seen(out_of_scope);
            view
        };
        Ok(rows.into_iter().map(view).collect())
    }

    pub(crate) async fn tag_limits(&self, tx: &mut Tx, scope: &Scope) -> Result<TagThresholds, Error> {
        let set = tx.brand_settings(scope).await?.values;
        let battery = (set.low_battery_percent, set.critical_battery_percent);
        Ok(TagThresholds::at(self.clock.now(), set.test_interval_days, battery, set.silence_limit_hours))
    }
}

pub(crate) fn tag_not_found() -> Error {
    Error::not_found("tag")
}
