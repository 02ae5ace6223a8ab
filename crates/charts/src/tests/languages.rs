//! Charts in the language of their reader, and charts without a title.

use roxmltree::Document;

use super::read::{check, texts};
use super::snapshots::{bars, description, rates, small};
use crate::*;

#[test]
fn without_a_title_its_line_is_left_to_the_data() {
    let top = |title: &str| {
        let svg = bars().svg(&small(title));
        check(&svg);
        let document = Document::parse(&svg).unwrap();
        texts(&document).into_iter().find(|text| text.text == "incursions").unwrap().top
    };
    assert!(top("") < top("Acknowledged incursions") - 10.0);
}

#[test]
fn a_chart_speaks_the_language_of_its_reader() {
    let numbers = NumberFormat { thousands: '.', decimal: ',' };
    let descriptions = Descriptions {
        day: "Tag",
        period: "von {from} bis {to}",
        lines: "Linien: {unit} {period}, ein Wert je {interval}.",
        mean: "{label}: im Mittel {mean}, {lowest} bis {highest} ({at}).",
        gaps: ("{n} Abschnitt ohne Wert{why}.", "{n} Abschnitte ohne Wert{why}."),
        ..Descriptions::default()
    };
    let translations = Translations { numbers, descriptions, ..Translations::default() };
    let svg = rates().svg(&ChartOptions { translations, ..small("Annäherungen") });
    check(&svg);
    assert!(svg.contains("02/03/2026: 1,25 incursions"), "{svg}");
    assert_eq!(
        description(&svg),
        "Linien: incursions per runtime hour von 01/03/2026 bis 04/03/2026, ein Wert je Tag. Excavators: im Mittel \
         0,83, 0,5 bis 1,25 (02/03/2026). 1 Abschnitt ohne Wert (no runtime)."
    );
}
