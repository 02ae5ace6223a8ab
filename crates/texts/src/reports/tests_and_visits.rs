//! Texts about tests of tags, and about visits.

use crate::text::texts;

texts! {
    COMPLIANCE = "Compliance", "Einhaltung";
    BELOW_GOAL = "below 90\u{a0}%", "unter 90\u{a0}%";
    WORN_DAYS_COVERED = "{n} of {total} worn days covered", "{n} von {total} Tragetagen abgedeckt";
    TESTS = "Tests", "Anzahl Tests";
    TESTS_FAILED = "{n} of {total} failed", "{n} von {total} nicht bestanden";
    OUT_OF_TEST = "Out of test", "Ohne gültigen Test";
    INCURSIONS_IN_TEST = "Incursions in test", "Annäherungen mit gültigem Test";
    OF_INCURSIONS = "{n} of {total} incursions", "{n} von {total} Annäherungen";
    NO_WORN_DAYS = "no worn days", "keine Tragetage";
    COVERED_IN_WEEK = "In the week of {day}, {now} of the worn days were covered, after {before} in the week before.",
        "In der Woche ab {day} waren {now} der Tragetage abgedeckt, nach {before} in der Woche davor.";
    COVERED_OF_BOTH = "Covered days: {n} of {total}; the week before: {before} of {total_before}.",
        "Abgedeckte Tage: {n} von {total}; in der Woche davor: {before} von {total_before}.";
    NO_WHOLE_WEEKS = "There are no two whole weeks in a row to compare.",
        "Es gibt keine zwei ganzen Wochen hintereinander, die zu vergleichen wären.";
    COVERED_IN_PERIOD = "Covered days in the period: {n} of {total}.",
        "Abgedeckte Tage im Zeitraum: {n} von {total}.";
    WORST_TAG = "{name} was worn without a valid test on {n} of {total} days.",
        "{name} wurde an {n} von {total} Tagen ohne gültigen Test getragen.";
    UNCOVERED_IN_ALL = "Uncovered days of all tags: {n}; these are {share}.",
        "Nicht abgedeckte Tage aller Transponder: {n}; dies sind {share}.";
    /// Said instead of the two before if no tag is worse than all others by far: nobody is singled out.
    NO_WORST_TAG = "No tag stands out: the most uncovered days of one tag are {n} of {total}, {share}.",
        "Kein Transponder fällt auf: Die meisten nicht abgedeckten Tage eines Transponders sind {n} von {total}, {share}.";
    UNCOVERED_OF_WORN = "Uncovered days of all tags: {n} of {total} worn days, {share}.",
        "Nicht abgedeckte Tage aller Transponder: {n} von {total} Tragetagen, {share}.";
    ACT_TEST = "Have tags tested before the shift begins, at least every {days} days.",
        "Lassen Sie Transponder vor Schichtbeginn testen, mindestens alle {days} Tage.";
    ALL_DAYS_COVERED = "All worn days were covered: {n}.", "Alle Tragetage waren abgedeckt: {n}.";
    ACT_ASSIGN_TAGS = "Check that tags are assigned to the people who wear them.",
        "Prüfen Sie, ob die Transponder den Personen zugewiesen sind, die sie tragen.";
    NO_TAG_WORN = "No tag was worn in this period, so there is nothing to say about tests.",
        "In diesem Zeitraum wurde kein Transponder getragen; daher lässt sich über Tests nichts sagen.";
    NO_TAGS = "There are no tags to show.", "Es gibt keine Transponder, die darzustellen wären.";
    WEEK_OF = "Week of", "Woche ab";
    /// A week of which the period has only some days.
    INCOMPLETE_WEEK = "{day} (incomplete)", "{day} (unvollständig)";
    WORN_DAYS = "Worn days", "Tragetage";
    COVERED_DAYS = "Covered days", "Abgedeckte Tage";
    UNCOVERED_DAYS = "Uncovered days", "Nicht abgedeckte Tage";
    FAILED = "Failed", "Nicht bestanden";
    LAST_TEST = "Last test", "Letzter Test";
    LAST_PASSED = "Last test passed", "Letzter Test bestanden";
    INCURSIONS_AND_IN_TEST = "Incursions in test", "Annäherungen mit Test";
    OF_THEM_IN_TEST = "Of them in test", "Davon mit gültigem Test";
    WORN_AT_END = "Worn at the end", "Am Ende getragen";
    IN_TEST_AT_END = "In test at the end", "Am Ende mit gültigem Test";
    TAGS = "Tags", "Transponder";

    VISITS = "Visits", "Besuche";
    OPEN = "Open", "Offen";
    CLOSED_BY_SERVICE = "Closed automatically", "Automatisch beendet";
    INCURSIONS_DURING_VISITS = "Incursions during visits", "Annäherungen während Besuchen";
    BY_VISITORS = "Number of visitors: {n}.", "Zahl der Besucher: {n}.";
    WORST_SITE_OF_VISITS = "{n} of {total} incursions of visitors happened during visits to {name}.",
        "{n} von {total} Annäherungen von Besuchern geschahen bei Besuchen am Standort {name}.";
    VISITS_THERE = "Visits there: {n}.", "Besuche dort: {n}.";
    ACT_OVERDUE_VISITS = "Find the visitors who are past their expected time and check them out.",
        "Suchen Sie die Besucher, deren erwartete Zeit vorbei ist, und melden Sie sie ab.";
    ACT_CLOSED_VISITS = "Remind visitors to check out and hand back their tag.",
        "Erinnern Sie Besucher daran, sich abzumelden und den Transponder zurückzugeben.";
    ACT_NO_VISITS = "There are no visits to judge by. Check that visitors are checked in.",
        "Es gibt keine Besuche für ein Urteil. Prüfen Sie, ob Besucher angemeldet werden.";
    ACT_NO_LATE_VISITS = "Nothing calls for a change: no visit is past its expected time or was closed by the service.",
        "Nichts verlangt eine Änderung: Kein Besuch ist überfällig oder wurde automatisch beendet.";
    NO_VISITS = "There were no visits in this period ({period}).",
        "In diesem Zeitraum ({period}) gab es keine Besuche.";
    CHECKED_IN = "Checked in", "Angemeldet";
    CHECKED_OUT = "Checked out", "Abgemeldet";
    EXPECTED_UNTIL = "Expected until", "Erwartet bis";
    STILL_OPEN = "still open", "noch offen";
    CLOSED_AT = "{time}, automatically", "{time}, automatisch";
    VISITOR = "Visitor", "Besucher";
    COMPANY = "Company", "Firma";
    NOTES = "Notes", "Notizen";
}
