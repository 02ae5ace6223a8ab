//! A long table.

use documents::{Align, Block, Column, Document, Row, RowKind, Table};

use crate::{empty, heading};

pub fn report(count: usize) -> Document {
    let mut document = empty("Incursions", &["All sites, 2 March to 31 March 2026"]);
    let column = |title: &str, align, share| Column { title: title.into(), align, share };
    let columns = vec![
        column("Start", Align::Start, 2.2),
        column("Length", Align::End, 1.0),
        column("Zone", Align::Start, 1.2),
        column("Acknowledged after", Align::End, 1.3),
        column("Closest", Align::End, 1.0),
        column("Machine", Align::Start, 2.0),
        column("Person on foot", Align::Start, 2.0),
        column("Worksite", Align::Start, 2.0),
        column("Review", Align::Start, 1.2),
    ];
    let rows = (1..=count)
        .map(|number| Row {
            cells: vec![
                format!("{:02}/03/2026 {:02}:{:02}", 1 + number % 31, 6 + number % 11, number % 60).into(),
                format!("{} s", 3 + number * 7 % 90).into(),
                if number % 7 == 0 { "Danger zone".into() } else { "Warning zone".into() },
                if number % 3 == 0 { "–".into() } else { format!("{} s", number % 9).into() },
                format!("{}.{} m", number % 12, number % 10).into(),
                format!("Machine {}", number % 40).into(),
                if number % 5 == 0 {
                    "Anna-Karin Bergström".into()
                } else {
                    format!("Person {number}").into()
                },
                ["Riverside Bridge", "Northern Logistics Centre, hall extension phase two", "Depot"]
                    [number % 3]
                    .into(),
                if number % 11 == 0 { "false detection".into() } else { "none".into() },
            ],
            kind: RowKind::Plain,
            indent: 0,
        })
        .collect();
    document.blocks = vec![
        heading(2, "All incursions"),
        Block::Table(Table {
            title: "Incursions by start".into(),
            summary: "One row for each incursion.".into(),
            columns,
            rows,
            note: None,
        }),
    ];
    document
}
