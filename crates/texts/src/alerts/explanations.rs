//! What explains the value of an alarm, in mails and on its page.

use crate::text::texts;

texts! {
    /// What explains the values of tags, stations and visits.
    LAST_TEST = "Last passed test", "Letzter bestandener Test";
    NEVER = "never", "nie";
    WORN_SINCE = "First worn", "Zuerst getragen";
    BATTERY_REPORTED = "Battery reported", "Batterie gemeldet";
    LAST_CONTACT = "Last contact", "Letzter Kontakt";
    INSTALLED_SINCE = "Installed since", "Eingebaut seit";
    EXPECTED_UNTIL = "Expected until", "Erwartet bis";
    CHECKED_IN = "Checked in", "Angemeldet";
    /// What explains the value of a drift: rates of incursions per runtime hour.
    DRIFT_BASELINE = "Incursions per runtime hour at the beginning", "Annäherungen je Betriebsstunde am Anfang";
    DRIFT_LOWEST = "Lowest in four weeks since", "Seitdem niedrigste in vier Wochen";
    DRIFT_LOWEST_FROM = "{rate}, from {day} on (at most {bound})", "{rate}, ab {day} (höchstens {bound})";
    DRIFT_NOW = "In the last four weeks", "In den letzten vier Wochen";
    DRIFT_NOW_OF = "{rate} (at least {bound})", "{rate} (mindestens {bound})";
    DRIFT_METHOD = "Computed", "Berechnung";
    DRIFT_CAREFUL = "how much of the way from the lowest back to the beginning is lost, by the bounds in brackets, so that chance \
        is not taken for a loss",
        "wie viel des Wegs von der niedrigsten zurück zur anfänglichen verloren ist, nach den Grenzen in Klammern, damit Zufall \
        nicht als Verlust zählt";
}
