//! Tags, as a kiosk sees and tests them.

use domain::{Invalid, Percent, Serial, Span, Timestamp};
use serde_json::json;
use store::{Answer, Assignment, NewTagTest, Tag, TagTest};

use crate::audit::Act;
use crate::{App, Error, Once, Tester};

/// How far ahead of ours a device's clock may be.
const AHEAD: Span = Span::minutes(5);
/// How old a test may be when it is sent.
const OLDEST: Span = Span::minutes(400 * 24 * 60);

/// A tag with who wears it and how it was last tested.
pub struct TagView {
    /// The tag.
    pub tag: Tag,
    /// Who wears it now.
    pub assignment: Option<Assignment>,
    /// How it was last tested.
    pub last_test: Option<TagTest>,
}

/// What a kiosk sends after a test.
#[derive(Clone, Debug)]
pub struct TestResult {
    /// What stands on the tag; an unknown one is registered.
    pub serial: Serial,
    /// Whether it did what it should.
    pub passed: bool,
    /// What its battery held.
    pub battery: Option<Percent>,
    /// When it was; now, if it is not said.
    pub tested_at: Option<Timestamp>,
}

impl App {
    /// The tag with that serial, for a kiosk's screen.
    pub async fn view_tag(&self, tester: &Tester, serial: &Serial) -> Result<TagView, Error> {
        let mut tx = self.store.read().await?;
        let found = tx.tags(&tester.scope).by_serial(serial).await?;
        let tag = found.ok_or_else(|| Error::not_found("tag"))?;
        let assignment = tx.tag_assignments(&tester.scope).open_of(tag.id).await?;
        let last_test = tx.tag_tests(&tester.scope).last_of(tag.id).await?;
        Ok(TagView { tag, assignment, last_test })
    }

    /// Writes down a test of a tag.
    pub async fn record_tag_test(
        &self,
        tester: &Tester,
        result: &TestResult,
        once: Once<'_, (Tag, TagTest)>,
    ) -> Result<Answer, Error> {
        let now = self.clock.now();
        let tested_at = result.tested_at.unwrap_or(now);
        self.once(once, async |tx| {
            // Judged inside: a repeat of what was taken in time is answered as it was then.
            if tested_at > now + AHEAD || tested_at < now - OLDEST {
                let text = "must not be more than 5 minutes ahead or 400 days old";
                return Err(Error::invalid_field("tested_at", Invalid::new("bad_time", text)));
            }
            tx.raise_registry_version(&tester.scope).await?;
            let tag = tx.tags(&tester.scope).ensure(&result.serial, now).await?;
            let latest = tx.tag_tests(&tester.scope).last_of(tag.id).await?;
            let new = NewTagTest {
                tag: tag.id,
                device: tester.device,
                tested_at,
                passed: result.passed,
                battery: result.battery,
            };
            let test = tx.tag_tests(&tester.scope).add(&new, now).await?;
            // A test that comes late says nothing about the battery of today.
            let is_latest = latest.is_none_or(|latest| latest.tested_at <= tested_at);
            if let Some(battery) = result.battery.filter(|_| is_latest) {
                tx.tags(&tester.scope).set_battery(tag.id, battery, now).await?;
            }
            self.record(
                tx,
                Act::of_tester(tester)
                    .on("tag_test.created", "tag_test", test.id.0)
                    .with(json!({ "tag_id": tag.id, "passed": test.passed })),
            )
            .await?;
            Ok((tag, test))
        })
        .await
    }
}
