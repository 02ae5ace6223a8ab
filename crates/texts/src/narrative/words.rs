//! Words around the sentences: headings, names of facts, how sure they are, and how a report was written.

use crate::Language;
use crate::text::{find, texts};

texts! {
    FINDINGS = "Findings", "Befunde";
    RECOMMENDATIONS = "Recommendations", "Empfehlungen";
    LIMITATIONS = "What the data cannot say", "Was die Daten nicht sagen können";
    FACTS = "Facts", "Fakten";
    TABLE_OF_FACTS =
        "The facts that the sentences rest on, each with its value, what it is compared with, and how \
        sure it is.",
        "Die Fakten, auf denen die Sätze beruhen, jeweils mit Wert, Vergleich und Sicherheit.";
    NUMBER = "No.", "Nr.";
    FACT = "Fact", "Fakt";
    VALUE = "Value", "Wert";
    COMPARED_WITH = "Compared with", "Verglichen mit";
    INTERVAL = "95\u{a0}% interval", "95-%-Intervall";
    HOW_SURE = "How sure", "Wie sicher";
    EVIDENCE = "Facts: {facts}. How sure: {certainty}.", "Fakten: {facts}. Wie sicher: {certainty}.";
    WRITTEN_BY = "How it was written", "Wie er geschrieben wurde";
    BY_RULES = "The sentences were written by fixed rules from the facts.",
        "Die Sätze wurden nach festen Regeln aus den Fakten geschrieben.";
    BY_MODEL =
        "The sentences were written by the language model {model}; each was checked against the facts \
        that it cites.",
        "Die Sätze wurden vom Sprachmodell {model} geschrieben; jeder wurde mit den Fakten verglichen, \
        auf denen er beruht.";
    BY_RULES_INSTEAD = "The sentences were written by fixed rules from the facts. {reason}",
        "Die Sätze wurden nach festen Regeln aus den Fakten geschrieben. {reason}";

    UNREACHABLE = "The language model could not be reached.", "Das Sprachmodell war nicht erreichbar.";
    TIMED_OUT = "The language model did not answer in time.",
        "Das Sprachmodell antwortete nicht rechtzeitig.";
    REFUSED = "The language model refused to answer.", "Das Sprachmodell verweigerte die Antwort.";
    REDIRECTED = "The address of the language model redirected, which is not followed.",
        "Die Adresse des Sprachmodells verwies auf eine andere, der nicht gefolgt wird.";
    ANSWER_TOO_LONG = "The answer of the language model was too long.",
        "Die Antwort des Sprachmodells war zu lang.";
    ANSWER_EMPTY = "The answer of the language model was empty.", "Die Antwort des Sprachmodells war leer.";
    ANSWER_BROKEN = "The answer of the language model could not be read.",
        "Die Antwort des Sprachmodells war nicht lesbar.";
    CHECKS_FAILED = "The answers of the language model did not agree with the facts.",
        "Die Antworten des Sprachmodells stimmten nicht mit den Fakten überein.";

    SURE_HIGH = "high", "hoch";
    SURE_MODERATE = "moderate", "mittel";
    SURE_LOW = "low", "gering";

    WITH_PREVIOUS_PERIOD = "previous period", "vorheriger Zeitraum";
    WITH_AFTER_INSTALLATION = "weeks after installation", "Wochen nach dem Einbau";
    WITH_PEERS = "expected from peers", "nach Vergleichbaren erwartet";
    WITH_RUNTIME = "share of the runtime", "Anteil an der Betriebszeit";
    WITH_BEFORE_CHANGE = "before the change", "vor der Änderung";

    KIND_INCURSIONS = "Incursions", "Annäherungen";
    KIND_INCURSION_RATE = "Incursions per runtime hour", "Annäherungen pro Betriebsstunde";
    KIND_ACKNOWLEDGEMENT_RATE = "Acknowledgement rate", "Quittierungsquote";
    KIND_AVERAGE_DURATION = "Average duration", "Durchschnittliche Dauer";
    KIND_ZONE_TIME = "Time in zones", "Zeit in Zonen";
    KIND_DANGER_SHARE = "Share in the danger zone", "Anteil in der Gefahrenzone";
    KIND_RUNTIME_HOURS = "Runtime", "Betriebszeit";
    KIND_OUTLIER = "Differs from peers", "Weicht von Vergleichbaren ab";
    KIND_DRIFT = "Drift since installation", "Entwicklung seit dem Einbau";
    KIND_BUSIEST_HOURS = "Busiest hours", "Stunden mit den meisten Annäherungen";
    KIND_BUSIEST_PLACE = "Busiest place", "Ort mit den meisten Annäherungen";
    KIND_REPEATED_PAIR = "Repeated pair", "Wiederholte Begegnung";
    KIND_TOP_MACHINE = "Machine with most incursions", "Maschine mit den meisten Annäherungen";
    KIND_TEST_COMPLIANCE = "Tags in test", "Gültig getestete Transponder";
    KIND_INCURSIONS_WITHOUT_TEST = "Incursions without a valid test", "Annäherungen ohne gültigen Test";
    KIND_SILENT_STATIONS = "Silent base stations", "Stumme Basisstationen";
    KIND_DAYS_WITHOUT_DATA = "Working days without data", "Arbeitstage ohne Daten";
    KIND_UNKNOWN_PEDESTRIANS = "Unknown person on foot", "Unbekannte Person zu Fuß";
    KIND_ZONE_SIZE_CHANGED = "Changed zone", "Geänderte Zone";
}

/// Returns what a fact is called, by the word of its kind.
pub fn kind(language: Language, word: &str) -> &'static str {
    let table = [
        ("incursions", KIND_INCURSIONS),
        ("incursion_rate", KIND_INCURSION_RATE),
        ("acknowledgement_rate", KIND_ACKNOWLEDGEMENT_RATE),
        ("average_duration", KIND_AVERAGE_DURATION),
        ("zone_time", KIND_ZONE_TIME),
        ("danger_share", KIND_DANGER_SHARE),
        ("runtime_hours", KIND_RUNTIME_HOURS),
        ("outlier_machine", KIND_OUTLIER),
        ("outlier_pedestrian", KIND_OUTLIER),
        ("outlier_operator", KIND_OUTLIER),
        ("drift", KIND_DRIFT),
        ("busiest_hours", KIND_BUSIEST_HOURS),
        ("busiest_place", KIND_BUSIEST_PLACE),
        ("repeated_pair", KIND_REPEATED_PAIR),
        ("top_machine", KIND_TOP_MACHINE),
        ("test_compliance", KIND_TEST_COMPLIANCE),
        ("incursions_without_test", KIND_INCURSIONS_WITHOUT_TEST),
        ("silent_stations", KIND_SILENT_STATIONS),
        ("days_without_data", KIND_DAYS_WITHOUT_DATA),
        ("unknown_pedestrians", KIND_UNKNOWN_PEDESTRIANS),
        ("zone_size_changed", KIND_ZONE_SIZE_CHANGED),
    ];
    find(language, word, &table).unwrap_or(FACT.get(language))
}

/// Returns how sure a fact is, by its word.
pub fn certainty(language: Language, word: &str) -> &'static str {
    let table = [("high", SURE_HIGH), ("moderate", SURE_MODERATE), ("low", SURE_LOW)];
    find(language, word, &table).unwrap_or(SURE_LOW.get(language))
}

/// Returns what a fact is compared with, by its word.
pub fn compared_with(language: Language, word: &str) -> &'static str {
    let table = [
        ("previous_period", WITH_PREVIOUS_PERIOD),
        ("after_installation", WITH_AFTER_INSTALLATION),
        ("peers", WITH_PEERS),
        ("runtime", WITH_RUNTIME),
        ("before_change", WITH_BEFORE_CHANGE),
    ];
    find(language, word, &table).unwrap_or(COMPARED_WITH.get(language))
}

/// Says why the rules wrote a report although there is a model, by the word of the reason.
pub fn fallback(language: Language, word: &str) -> &'static str {
    let table = [
        ("unreachable", UNREACHABLE),
        ("timed_out", TIMED_OUT),
        ("refused", REFUSED),
        ("redirected", REDIRECTED),
        ("answer_too_long", ANSWER_TOO_LONG),
        ("answer_empty", ANSWER_EMPTY),
        ("answer_broken", ANSWER_BROKEN),
    ];
    find(language, word, &table).unwrap_or(CHECKS_FAILED.get(language))
}
