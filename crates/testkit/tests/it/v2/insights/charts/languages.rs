//! Images in the language of their reader.

use serde_json::json;
use testkit::{TestApp, on_both_engines};

use super::images::{all_chart_paths, get_svg, read_svg};
use super::{Yard, busy_yard, chart, refill_quota};

on_both_engines!(
    no_text_of_an_image_is_left_untranslated,
    titles_and_descriptions_are_in_the_language_of_the_reader,
    reasons_and_filters_are_in_the_language_of_the_reader,
    a_language_without_texts_is_english,
);

async fn set_language(yard: &Yard, language: &str) {
    let path = "/api/v2/user_preferences";
    let found = yard.app.get(path).bearer(&yard.admin.jwt).send().await.expect(200).json();
    let id = &found["data"]["id"];
    let attributes = json!({ "language": language });
    let body = json!({ "data": { "type": "user_preferences", "id": id, "attributes": attributes } });
    let call = yard.app.patch(path).bearer(&yard.admin.jwt);
    call.bytes("application/vnd.api+json", body.to_string()).send().await.expect(200);
}

async fn no_text_of_an_image_is_left_untranslated(app: TestApp) {
    let yard = busy_yard(app).await;
    set_language(&yard, "de-AT").await;
    let english = [
        "ncursion",
        "cknowledg",
        "untime",
        "ighest",
        "owest",
        " mean",
        " of ",
        " from ",
        " by ",
        " the ",
        "alue",
        "ncomplete",
        "nknown",
        "onfidence",
        " and ",
        "Hour",
        "hour",
        "perators",
        "machines",
        "anger",
        "arning",
        "previous",
        "only",
    ];
    for rest in all_chart_paths() {
        refill_quota(&yard);
        for size in ["", "width=1600&height=900", "zone=danger"] {
            let reply = get_svg(&yard, &format!("{rest}{size}")).await;
            let (title, description, text) = read_svg(&reply);
            // Tool tips are in titles below the elements.
            let whole = String::from_utf8(reply.body).unwrap();
            let tips = whole.split("<title>").skip(1).filter_map(|rest| rest.split_once('<'));
            let tips: Vec<&str> = tips.map(|(tip, _)| tip).collect();
            for part in [title.as_str(), &description, &text, &tips.join("\n")] {
                let left = english.iter().find(|word| part.contains(**word));
                assert_eq!(left, None, "{rest}{size}: {part}");
            }
        }
    }
}

async fn titles_and_descriptions_are_in_the_language_of_the_reader(app: TestApp) {
    let yard = busy_yard(app).await;
    let path = "/acknowledged_incursions?from=2026-02-24&to=2026-02-26";
    let data = chart(&yard, path).await;
    set_language(&yard, "de").await;
    for (rest, title) in [
        ("/zone_time?by=machine", "Zeit in Zonen nach Maschine"),
        ("/incursion_rate?split_by=machine_kind", "Annäherungen je Betriebsstunde nach Maschinenart"),
        ("/incursion_rate", "Annäherungen je Betriebsstunde"),
        ("/trends?metric=acknowledgement_rate", "Verlauf: Quittierungsquote"),
        ("/hours_of_week?metric=exposure", "Stunden der Woche: Zeit in Zonen"),
        ("/machine_runtime?operators=true", "Maschinen und ihre Maschinenführer"),
    ] {
        assert_eq!(read_svg(&get_svg(&yard, rest).await).0, title);
    }
    let (_, description, text) = read_svg(&get_svg(&yard, path).await);
    assert!(
        description.contains("Balken: Annäherungen je Tag von 24/02/2026 bis 25/02/2026"),
        "{description}"
    );
    assert!(description.contains("Quittiert: insgesamt 1, höchster Wert 1 (24/02/2026)."), "{description}");
    assert!(description.contains("Quittierungsquote: im Mittel 16,67, niedrigster Wert 0"), "{description}");
    for label in ["Quittiert", "Nicht quittiert", "Quittierungsquote", "Annäherungen je Tag"] {
        assert!(text.contains(label), "{label}: {text}");
    }
    // Data is for programs.
    assert_eq!(chart(&yard, path).await, data);
}

async fn reasons_and_filters_are_in_the_language_of_the_reader(app: TestApp) {
    let yard = busy_yard(app).await;
    set_language(&yard, "de").await;
    let gap = read_svg(&get_svg(&yard, "/incursion_rate?from=2026-02-24&to=2026-02-27").await).1;
    assert!(gap.contains("ohne Wert (keine Betriebszeit)"), "{gap}");
    let (_, empty, text) = read_svg(&get_svg(&yard, "/durations?from=2025-01-01&to=2025-02-01").await);
    assert!(empty.contains("Nichts in diesem Zeitraum: Keine Annäherungen."), "{empty}");
    assert!(text.contains("Nichts in diesem Zeitraum"), "{text}");
    for (query, named) in [
        ("worksite_id=1&zone=danger", "nur Site 1, Gefahrenzone."),
        ("pedestrian_id=1&operator_id=4", "nur Ada zu Fuß, Dan als Maschinenführer."),
        ("machine_kind=crane&machine_kind=other", "nur Maschinen der Art Kran oder Sonstige."),
        ("worksite_id=1&worksite_id=2&worksite_id=3&worksite_id=4", "nur 4 Standorte."),
        ("acknowledged=false&review=confirmed", "nur nicht quittiert, Prüfung Bestätigt."),
    ] {
        let said = read_svg(&get_svg(&yard, &format!("/durations?width=2000&{query}")).await).1;
        assert!(said.contains(named), "{query}: {said}");
    }
}

async fn a_language_without_texts_is_english(app: TestApp) {
    let yard = busy_yard(app).await;
    let before = get_svg(&yard, "/zone_time?by=machine").await.body;
    set_language(&yard, "sv").await;
    assert_eq!(read_svg(&get_svg(&yard, "/zone_time?by=machine").await).0, "Time in zones by machine");
    set_language(&yard, "en").await;
    assert_eq!(get_svg(&yard, "/zone_time?by=machine").await.body, before);
}
