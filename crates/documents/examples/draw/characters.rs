//! Names of any characters, in all places.

use charts::Theme;
use documents::{
    Align, Block, Column, Document, Finding, Metric, MetricChange, Row, RowKind, Table, Text, Tone, Trend,
};

use crate::{edge_cases, empty, figure, heading};

const NAMES: [&str; 13] = [
    "unassigned \u{378} here",
    "private \u{E000}\u{F0000} use",
    "mark \u{FEFF} inside",
    "crew 👩\u{200D}👩\u{200D}👧 🚧 👷🏽\u{200D}♀\u{FE0F} 🇩🇪",
    "stacked Z\u{301}\u{308}\u{30A}\u{301}\u{308}\u{30A}\u{301}\u{308}a\u{323}\u{331}\u{323}\u{331}\u{323}\u{331}",
    "combining e\u{301}a\u{308}\u{323}n\u{303}",
    "מנוף צפוני 12 (א)",
    "مشروع الجسر الشمالي الكبير",
    "北側駐車場拡張工事",
    "WWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWW",
    "nul \u{0} tab \t override \u{202E}reversed",
    "astral 𝔸𝔹 \u{10300} \u{1F600}",
    "=cmd()|' /C calc'!A0",
];

pub fn report() -> Document {
    let mut document = empty("Names: 👷🏽 \u{E000} מנוף مشروع", &NAMES[..3]);
    document.letterhead.brand = "Bau \u{378} 👷 GmbH & Söhne".into();
    let metrics = NAMES.iter().take(8).map(|name| Metric {
        label: (*name).into(),
        value: name.chars().take(9).collect(),
        change: Some(MetricChange { text: (*name).into(), trend: Trend::Up, tone: Tone::Warning }),
        note: (*name).into(),
    });
    let findings = NAMES.iter().map(|name| Finding {
        tone: Tone::Warning,
        heading: (*name).into(),
        text: Text::plain(*name)
            .and_bold(format!(" {name} "))
            .and_link(*name, format!("https://a.example/{name}")),
        evidence: (*name).into(),
    });
    let column = |title: &str| Column { title: title.into(), align: Align::Start, share: 1.0 };
    let rows = NAMES.iter().map(|name| Row {
        cells: vec![(*name).into(), Text::default().and_bold(*name), "7".into()],
        kind: RowKind::Plain,
        indent: 1,
    });
    document.blocks = vec![
        Block::Metrics(metrics.collect()),
        Block::Findings(findings.collect()),
        Block::Table(Table {
            title: NAMES.join(" · "),
            summary: NAMES.join(" "),
            columns: vec![column(NAMES[3]), column(NAMES[6]), column(NAMES[0])],
            rows: rows.collect(),
            note: Some(NAMES.join(" ")),
        }),
        figure(edge_cases::hard_names(Theme::Light), &NAMES.join(" "), 0.5),
    ];
    for name in NAMES {
        document.blocks.extend([
            heading(2, name),
            Block::Paragraph(name.into()),
            Block::List(vec![name.into()]),
        ]);
    }
    document.blocks.push(Block::Details(NAMES.iter().map(|name| ((*name).into(), (*name).into())).collect()));
    document
}
