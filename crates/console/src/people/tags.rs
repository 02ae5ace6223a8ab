//! The tags that a person wears now, and the tests of the tags that the person wore.

use app::{App, EntityDetails, Error, TagView};
use domain::access::ReadRegistry;
use domain::{LinkKind, PageRequest, PersonId, TagFlag, TagId, TagTest};
use futures_util::future::try_join_all;
use texts::console::people as t;
use texts::values;

use crate::frame::Frame;
use crate::parts::{Badge, Cell, Column, Empty, Row, Table, Tone};

/// The number of tags that are listed.
const MAX_TAGS: i64 = 20;
/// The number of tags whose tests are read: those of the latest assignments.
const MAX_TESTED_TAGS: usize = 5;
/// The number of tests that are read of each tag.
const TESTS_OF_TAG: u16 = 100;
/// The number of tests that are listed.
const MAX_TESTS: usize = 50;

pub struct TagPanel {
    pub worn: Table,
    pub tests: Table,
}

impl TagPanel {
    pub async fn load(
        app: &App,
        frame: &Frame,
        id: PersonId,
        details: &EntityDetails,
    ) -> Result<Self, Error> {
        let caller = frame.caller::<ReadRegistry>()?;
        let worn = app.tags_worn_by(&caller.reader(), &[id], MAX_TAGS).await?;
        let page = PageRequest { limit: TESTS_OF_TAG, after: None };
        let reader = caller.reader();
        let pages = tags_of(details).into_iter().map(|tag| app.list_tests_of_tag(&reader, tag, &page, false));
        let found = try_join_all(pages).await?;
        // A tag is also tested while others wear it.
        let is_theirs = |test: &TagTest| test.person.as_ref().is_some_and(|person| person.id == id);
        let mut tests: Vec<TagTest> =
            found.into_iter().flat_map(|(page, _)| page.rows).filter(is_theirs).collect();
        tests.sort_by_key(|test| std::cmp::Reverse((test.tested_at, test.id)));
        tests.truncate(MAX_TESTS);
        Ok(Self { worn: worn_table(frame, &worn), tests: test_table(frame, &tests) })
    }
}

/// The tags of the latest assignments, each once.
fn tags_of(details: &EntityDetails) -> Vec<TagId> {
    let mut tags = Vec::new();
    for link in details.links.iter().filter(|link| link.kind == LinkKind::Tag) {
        if tags.len() < MAX_TESTED_TAGS && !tags.contains(&TagId(link.id)) {
            tags.push(TagId(link.id));
        }
    }
    tags
}

fn worn_table(frame: &Frame, tags: &[TagView]) -> Table {
    let columns = vec![
        Column::text(frame.text(values::TAG)),
        Column::number(frame.text(t::BATTERY)),
        Column::text(frame.text(t::LAST_TEST)),
        Column::text(frame.text(t::ATTENTION)),
    ];
    let row = |view: &TagView| {
        let tag = &view.details.tag;
        let battery = tag.battery_percent.map(|percent| format!("{percent}\u{a0}%")).unwrap_or_default();
        let tested = match view.details.last_test {
            Some(test) => Cell::text(frame.formats().ago(test.tested_at)).note(result(frame, test.passed)),
            None => Cell::text(frame.text(t::NEVER_TESTED)),
        };
        Row::new(vec![
            Cell::head(tag.serial.as_str(), frame.link(&format!("/settings/tags/{}", tag.id))),
            Cell::text(battery),
            tested,
            match view.flags.is_empty() {
                true => Cell::text(""),
                false => Cell::badge(flag_badge(frame, &view.flags)),
            },
        ])
    };
    let empty = Empty {
        title: frame.text(t::NO_TAGS).to_owned(),
        reason: frame.text(t::NO_TAGS_REASON).to_owned(),
        action: None,
    };
    Table::new(frame.text(t::TAGS), columns, tags.iter().map(row).collect(), empty)
}

/// What is to be done about a tag, in one badge.
fn flag_badge(frame: &Frame, flags: &[TagFlag]) -> Badge {
    let words: Vec<&str> = flags.iter().map(|flag| t::tag_flag(frame.language, flag.as_str())).collect();
    let is_urgent = |flag: &TagFlag| matches!(flag, TagFlag::TestOverdue | TagFlag::CriticalBattery);
    let (sign, tone) = match flags.iter().any(is_urgent) {
        true => ("▲", Tone::Bad),
        false => ("◆", Tone::Warning),
    };
    Badge { word: words.join(", "), sign, tone }
}

fn result(frame: &Frame, passed: bool) -> &'static str {
    frame.text(if passed { t::PASSED } else { t::NOT_PASSED })
}

fn test_table(frame: &Frame, tests: &[TagTest]) -> Table {
    let columns = vec![
        Column::text(frame.text(t::TESTED_AT)),
        Column::text(frame.text(values::TAG)),
        Column::text(frame.text(t::RESULT)),
        Column::number(frame.text(t::BATTERY)),
    ];
    let row = |test: &TagTest| {
        let (sign, tone) = if test.passed { ("✓", Tone::Good) } else { ("✕", Tone::Bad) };
        let badge = Badge { word: result(frame, test.passed).to_owned(), sign, tone };
        let battery = test.battery_percent.map(|percent| format!("{percent}\u{a0}%")).unwrap_or_default();
        Row::new(vec![
            Cell::text(frame.formats().own(test.tested_at)),
            Cell::link(test.tag_serial.as_str(), frame.link(&format!("/settings/tags/{}", test.tag))),
            Cell::badge(badge),
            Cell::text(battery),
        ])
    };
    let empty = Empty {
        title: frame.text(t::NO_TESTS).to_owned(),
        reason: frame.text(t::NO_TESTS_REASON).to_owned(),
        action: None,
    };
    Table::new(frame.text(t::TESTS), columns, tests.iter().map(row).collect(), empty)
}
