//! A month of a site.

use charts::{ShadeBy, Theme};
use documents::{
    Align, Block, Column, Document, Finding, Metric, MetricChange, Paper, Picture, Row, RowKind, Table, Text,
    Tone, Trend,
};

use crate::{bars, categories, empty, figure, heading, lines, maps};

pub fn report(paper: Paper) -> Document {
    let mut document = empty(
        "Site safety: Riverside Bridge",
        &["2 March to 31 March 2026, local time (Europe/Stockholm)", "Project E4 Bypass · Nordic Earthworks"],
    );
    document.paper = paper;
    document.letterhead.logo = logo();
    document.blocks = [first_page(), charts(), tables(), method()].concat();
    document
}

fn metric(label: &str, value: &str, change: (&str, Trend, Tone), note: &str) -> Metric {
    let change = MetricChange { text: change.0.into(), trend: change.1, tone: change.2 };
    Metric { label: label.into(), value: value.into(), change: Some(change), note: note.into() }
}

fn first_page() -> Vec<Block> {
    let metrics = vec![
        metric(
            "Incursions",
            "310",
            ("−18 %", Trend::Down, Tone::Good),
            "in 412 runtime hours; 378 in the previous period",
        ),
        metric("Per runtime hour", "0.75", ("−12 %", Trend::Down, Tone::Good), "0.86 in the previous period"),
        metric(
            "Acknowledged",
            "64 %",
            ("−9 points", Trend::Down, Tone::Danger),
            "198 of 310; 73 % in the previous period",
        ),
        metric(
            "In the danger zone",
            "42",
            ("unchanged", Trend::Level, Tone::Plain),
            "14 % of all incursions; 43 in the previous period",
        ),
    ];
    let finding = |tone, heading: &str, text: Text, evidence: &str| Finding {
        tone,
        heading: heading.into(),
        text,
        evidence: evidence.into(),
    };
    let findings = vec![
        finding(
            Tone::Danger,
            "What changed",
            Text::plain("Fewer incursions are acknowledged: ")
                .and_bold("64 % instead of 73 %")
                .and(". The fall is largest with operators of Wheel loader 3."),
            "198 of 310 incursions, 64 %; previous period 276 of 378, 73 %. Wheel loader 3: 31 of 72, 43 %.",
        ),
        finding(
            Tone::Warning,
            "Where it is worst",
            Text::plain("Tuesdays from 07:00 to 09:00, at the eastern gate: ")
                .and_bold("58 incursions")
                .and(", almost one in five."),
            "58 of 310 incursions, 19 %, in 1.2 % of the time. Previous period 41 of 378, 11 %.",
        ),
        finding(
            Tone::Good,
            "What to do",
            Text::plain("Keep people out of the eastern gate while deliveries are unloaded, and speak with the operators of ")
                .and_link("Wheel loader 3", "https://keepclear.example/machines/3")
                .and(" about acknowledging."),
            "Both together concern 112 of the 310 incursions, 36 %.",
        ),
    ];
    let caption = "Incursions fell from 96 in the first week to 61 in the last one; the share that was acknowledged \
                   fell in the two weeks after Easter.";
    vec![
        Block::Metrics(metrics),
        Block::Findings(findings),
        figure(bars::acknowledged(Theme::Light), caption, 0.36),
    ]
}

fn charts() -> Vec<Block> {
    vec![
        heading(2, "Day by day"),
        Block::Paragraph(
            "Days are local days of the site. A day without runtime has no rate, which is shown as a gap and not as zero. \
             The trend is a robust one: single days with many incursions do not change it."
                .into(),
        ),
        figure(lines::trends(Theme::Light), "Incursions per day, with the previous period and the trend.", 0.45),
        heading(2, "When"),
        figure(
            categories::hours_of_week(Theme::Light),
            "Most incursions fell on Thursdays from 09:00 to 10:00: 44 of 310.",
            0.45,
        ),
        heading(2, "Where"),
        Block::Paragraph("Each hexagon is about 18 m wide. Darker ones have more incursions.".into()),
        figure(
            maps::heatmap(Theme::Light, ShadeBy::Count),
            "The darkest hexagon is beside the crane, with 77 incursions; the line is the boundary of the site.",
            0.6,
        ),
        heading(2, "How long"),
        figure(
            categories::durations(Theme::Light),
            "Half of all incursions end within 12 seconds; 5 % last longer than 96 seconds.",
            0.45,
        ),
        heading(2, "Time in zones"),
        figure(categories::zone_time(Theme::Light), "Riverside Bridge has most of the time in zones.", 0.45),
    ]
}

fn tables() -> Vec<Block> {
    let column = |title: &str, align, share| Column { title: title.into(), align, share };
    let columns = vec![
        column("Machine", Align::Start, 3.0),
        column("Kind", Align::Start, 2.0),
        column("Incursions", Align::End, 1.0),
        column("Per runtime hour", Align::End, 1.2),
        column("Acknowledged", Align::End, 1.2),
        column("Time in zones", Align::End, 1.2),
        column("Change", Align::End, 1.0),
    ];
    let machine = |id: usize| {
        let names = ["Excavator", "Wheel loader", "Forklift Hall", "Roller", "Dumper"];
        Text::default().and_link(
            format!("{} {id}", names[id % names.len()]),
            format!("https://keepclear.example/machines/{id}"),
        )
    };
    let mut rows: Vec<Row> = (1..=25)
        .map(|id| Row {
            cells: vec![
                machine(id),
                ["Excavator", "Wheel loader", "Forklift", "Roller", "Dumper truck"][id % 5].into(),
                format!("{}", 90 - 3 * id).into(),
                format!("0.{}", 99 - 3 * id).into(),
                format!("{}\u{A0}%", 40 + id).into(),
                format!("{}\u{A0}min", 310 - 11 * id).into(),
                if id % 3 == 0 { "+12\u{A0}%".into() } else { "−8\u{A0}%".into() },
            ],
            kind: RowKind::Plain,
            indent: 0,
        })
        .collect();
    rows.push(Row {
        cells: ["All machines", "", "1\u{A0}275", "0.62", "53\u{A0}%", "4\u{A0}175\u{A0}min", "−3\u{A0}%"]
            .map(Into::into)
            .to_vec(),
        kind: RowKind::Total,
        indent: 0,
    });
    let small = Table {
        title: "Pairs that meet often".into(),
        summary: "Machine and person on foot with the most incursions.".into(),
        columns: vec![
            column("Machine", Align::Start, 2.0),
            column("Person on foot", Align::Start, 2.0),
            column("Incursions", Align::End, 1.0),
        ],
        rows: (1..=6)
            .map(|id| Row {
                cells: vec![
                    machine(id),
                    format!("Person {}", 40 + id).into(),
                    format!("{}", 31 - 3 * id).into(),
                ],
                kind: RowKind::Plain,
                indent: 0,
            })
            .collect(),
        note: Some("Pairs with fewer than ten incursions are left out.".into()),
    };
    vec![
        heading(2, "Machines"),
        Block::Table(Table {
            title: "Machines with the most incursions".into(),
            summary: "One row for each machine, with incursions, rate and acknowledgement.".into(),
            columns,
            rows,
            note: Some("and 13 more machines".into()),
        }),
        heading(2, "People"),
        heading(3, "Pairs"),
        Block::Table(small),
    ]
}

fn method() -> Vec<Block> {
    vec![
        heading(2, "Method and definitions"),
        Block::List(vec![
            Text::default()
                .and_bold("Incursion: ")
                .and("a person with a tag was inside a zone around a running machine. Incursions that a review found to be false detections are not counted."),
            Text::default().and_bold("Acknowledged: ").and("the operator confirmed the warning before the incursion ended."),
            Text::default()
                .and_bold("Previous period: ")
                .and("the same number of whole weeks before, so that weekdays match."),
        ]),
        Block::Note("Rates of fewer than ten incursions are uncertain and are shown in grey on charts.".into()),
        heading(2, "About this report"),
        Block::Details(vec![
            ("Filter".into(), "Worksite Riverside Bridge; all machines, people and zones".into()),
            ("Period".into(), "2 March 2026 00:00 to 31 March 2026 24:00, Europe/Stockholm".into()),
            ("Previous period".into(), "2 February 2026 to 1 March 2026".into()),
            ("Change number".into(), "48 211".into()),
            ("Figures computed at".into(), "1 April 2026 06:30".into()),
            ("Program".into(), "Keepclear 0.1.0".into()),
            ("Report".into(), Text::default().and_link("Report 17", "https://keepclear.example/reports/17")),
            ("Names".into(), "Names are shown as of the time at which the file was made.".into()),
        ]),
    ]
}

/// A ring in a bar, as a brand's logo.
fn logo() -> Option<Picture> {
    const WIDTH: u32 = 320;
    const HEIGHT: u32 = 96;
    let mut pixels = Vec::new();
    for y in 0..HEIGHT {
        for x in 0..WIDTH {
            let from_centre = f64::hypot(f64::from(x) - 48.0, f64::from(y) - 48.0);
            let is_ring = (24.0..40.0).contains(&from_centre);
            let is_bar = x > 110 && (36..60).contains(&y);
            pixels.extend(if is_ring || is_bar { [200, 66, 10, 255] } else { [255, 255, 255, 0] });
        }
    }
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, WIDTH, HEIGHT);
    encoder.set_color(png::ColorType::Rgba);
    encoder.write_header().ok()?.write_image_data(&pixels).ok()?;
    Picture::from_png(&bytes).ok()
}
