//! Titles of reports, headings of their sections, and what tables show for readers who do not see them.

use crate::text::{find, texts};
use crate::{Language, schedules};

texts! {
    SITE_SAFETY = "Site safety", "Sicherheit am Standort";
    PROJECT_SUMMARY = "Project summary", "Projektübersicht";
    MACHINE_REPORT = "Machine report", "Maschinenbericht";
    PERSON_REPORT = "Person report", "Personenbericht";
    TAG_TEST_COMPLIANCE = "Tag test compliance", "Einhaltung der Transpondertests";
    VISITOR_LOG = "Visitor log", "Besucherliste";
    INCURSION_LIST = "Incursions", "Annäherungen";
    PIVOT = "Pivot", "Pivot-Tabelle";
    WRITTEN_SITE_REPORT = "Site report", "Standortbericht";

    /// The title of a report about something.
    TITLE_OF = "{title}: {subject}", "{title}: {subject}";
    /// The period below the title, with the time zone of its days, with a few, or with their number.
    PERIOD_WITH_ZONE = "{period} ({zone})", "{period}, Zeitzone {zone}";
    PERIOD_WITH_ZONES = "{period} ({zones})", "{period}, Zeitzonen {zones}";
    PERIOD_IN_MANY_ZONES = "{period} ({zones})", "{period}, {zones}";

    DAY_BY_DAY = "Day by day", "Tag für Tag";
    WEEK_BY_WEEK = "Week by week", "Woche für Woche";
    MONTH_BY_MONTH = "Month by month", "Monat für Monat";
    WHEN = "When", "Wann";
    WHERE = "Where", "Wo";
    MACHINES = "Machines", "Maschinen";
    MACHINES_MET = "Machines met on foot", "Maschinen, denen die Person zu Fuß begegnete";
    PEOPLE_MET = "People met while driving", "Personen, denen die Person als Maschinenführer begegnete";
    PEOPLE_ON_FOOT = "People on foot", "Personen zu Fuß";
    OPERATORS = "Operators", "Maschinenführer";
    PAIRS = "Repeated encounters", "Wiederholte Begegnungen";
    HOW_LONG = "How long", "Wie lange";
    UNUSUAL = "Unusual", "Auffällig";
    DEVICES = "Devices", "Geräte";
    WORKSITES = "Worksites", "Standorte";
    LARGEST_CHANGES = "Largest changes", "Größte Veränderungen";
    KINDS_OF_MACHINES = "Kinds of machines", "Maschinenarten";
    RUNTIME = "Runtime", "Betriebszeit";
    COMPARED_WITH_KIND = "Compared with its kind", "Im Vergleich mit anderen ihrer Art";
    COMPARED_WITH_OTHERS = "Compared with others", "Im Vergleich mit anderen";
    ZONE_SIZES = "Zone sizes in the period", "Zonengrößen im Zeitraum";
    ON_FOOT = "On foot", "Zu Fuß";
    DRIVING = "Driving", "Als Maschinenführer";
    TAG_TESTS = "Tag tests", "Transpondertests";
    ZONES = "Zones", "Zonen";
    SINGLE_INCURSIONS = "Single incursions", "Einzelne Annäherungen";
    TABLE = "Table", "Tabelle";
    METHOD = "Method and definitions", "Methode und Begriffe";
    ABOUT = "About this report", "Über diesen Bericht";

    COMPLIANCE_BY_WEEK = "Compliance by week", "Einhaltung nach Woche";
    OVERDUE = "Overdue at the end of the period", "Am Ende des Zeitraums überfällig";
    NEVER_TESTED = "Worn and never tested", "Getragen und nie getestet";
    INCURSIONS_OUTSIDE_TEST = "Tags with incursions outside test",
        "Transponder mit Annäherungen ohne gültigen Test";
    ALL_TAGS = "All tags", "Alle Transponder";

    VISITS_BY_DAY = "Visits by day", "Besuche nach Tag";
    VISITS_BY_WORKSITE = "Visits by worksite", "Besuche nach Standort";
    OPEN_VISITS = "Open visits", "Offene Besuche";
    CLOSED_AUTOMATICALLY = "Visits closed automatically", "Automatisch beendete Besuche";
    ALL_VISITS = "All visits", "Alle Besuche";

    TABLE_OF_PARTS = "{title}: numbers of incursions by {part}, most first.",
        "{title}: Zahl der Annäherungen nach {part}, die meisten zuerst.";
    TABLE_OF_PAIRS = "Machines and people on foot who met more than once, most first.",
        "Maschinen und Personen zu Fuß, die sich mehr als einmal begegneten, die häufigsten zuerst.";
    TABLE_OF_SILENT_STATIONS = "Base stations without contact, with their machine and their last contact.",
        "Basisstationen ohne Kontakt, mit ihrer Maschine und ihrem letzten Kontakt.";
    TABLE_OF_ZONE_SIZES = "Radii of the warning and the danger zone of each antenna over time.",
        "Radien der Warnzone und der Gefahrenzone jeder Antenne im Zeitverlauf.";
    TABLE_OF_INCURSIONS = "One row for each incursion, the earliest first.",
        "Eine Zeile je Annäherung, die früheste zuerst.";
    TABLE_OF_PIVOT = "Measures by rows and columns, with subtotals and totals.",
        "Kennzahlen nach Zeilen und Spalten, mit Zwischensummen und Summen.";
    TABLE_OF_WEEKS = "Days on which tags were worn, by week, and how many of them were covered by a test.",
        "Tage, an denen Transponder getragen wurden, nach Woche, und wie viele davon ein Test abdeckte.";
    TABLE_OF_TAGS = "One row for each tag, with its wearer, worn days and tests.",
        "Eine Zeile je Transponder, mit Träger, Tragetagen und Tests.";
    TABLE_OF_SERIOUS_TAGS = "One row for each tag, the most serious first, with its wearer, worn days and tests.",
        "Eine Zeile je Transponder, die schwerwiegendsten zuerst, mit Träger, Tragetagen und Tests.";
    TABLE_OF_VISIT_DAYS = "Number of visits that began on each day.",
        "Zahl der Besuche, die an jedem Tag begannen.";
    TABLE_OF_VISITED_SITES = "Number of visits to each worksite, most first.",
        "Zahl der Besuche an jedem Standort, die meisten zuerst.";
    TABLE_OF_VISITS = "One row for each visit, the earliest first.", "Eine Zeile je Besuch, der früheste zuerst.";
}

/// Returns what a report of a kind is called, by the word of the kind.
pub fn report_title(language: Language, kind: &str) -> &'static str {
    let table = [
        ("site_safety", SITE_SAFETY),
        ("project_summary", PROJECT_SUMMARY),
        ("machine", MACHINE_REPORT),
        ("person", PERSON_REPORT),
        ("tag_test_compliance", TAG_TEST_COMPLIANCE),
        ("visitor_log", VISITOR_LOG),
        ("incursions", INCURSION_LIST),
        ("pivot", PIVOT),
        ("site_report", WRITTEN_SITE_REPORT),
    ];
    find(language, kind, &table).unwrap_or(schedules::REPORT.get(language))
}

/// Returns the title of a report about these subjects, or about none in particular.
pub fn report_title_of(language: Language, kind: &str, subjects: &[String]) -> String {
    let title = report_title(language, kind);
    match subjects {
        [] => title.to_owned(),
        _ => TITLE_OF.fill(language, &[("title", title), ("subject", &subjects.join(", "))]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_says_the_kind_and_the_subject() {
        let german = Language::German;
        assert_eq!(report_title(german, "site_report"), "Standortbericht");
        assert_eq!(report_title(german, "something"), schedules::REPORT.german);
        assert_eq!(report_title_of(german, "pivot", &[]), "Pivot-Tabelle");
        let subjects = ["Yard", "{title}"].map(str::to_owned);
        assert_eq!(report_title_of(german, "machine", &subjects), "Maschinenbericht: Yard, {title}");
    }
}
