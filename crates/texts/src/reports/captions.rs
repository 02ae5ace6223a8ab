//! Captions of charts, sentences about outliers, and what is said in place of an empty section.

use crate::text::texts;

texts! {
    LIST = "{others} and {last}", "{others} und {last}";
    /// A duration that has no upper bound.
    AND_LONGER = "{seconds}\u{a0}s and longer", "{seconds}\u{a0}s und länger";

    ON_DAY = "on {weekday}, {day}", "am {weekday}, {day}";
    IN_WEEK_OF = "in the week of {day}", "in der Woche ab {day}";
    IN_MONTH = "in {month}", "im Monat {month}";
    MOST_INCURSIONS = "Most incursions began {when}: {n} of {total}.",
        "Die meisten Annäherungen begannen {when}: {n} von {total}.";
    BUSIEST_HOUR_OF_WEEK = "Most incursions fell on {weekday} from {from} to {to}: {n} of {total}.",
        "Die meisten Annäherungen fielen auf {weekday}, {from} bis {to} Uhr: {n} von {total}.";
    HALF_WERE_SHORTER = "Half of the incursions were not longer than {median}, and one in twenty was longer than {longest}.",
        "Die Hälfte der Annäherungen dauerte höchstens {median}, eine von zwanzig länger als {longest}.";
    BUSIEST_HEXAGON = "The darkest hexagon has {n} of {total} incursions with a position.",
        "Auf das dunkelste Sechseck entfallen {n} von {total} Annäherungen mit Position.";
    RAN_ON_DAYS = "The machine ran on {n} of {total} days, {hours} in all.",
        "Die Maschine lief an {n} von {total} Tagen, insgesamt {hours}.";

    NOTHING_HAPPENED = "There were no incursions in this period ({period}), so there is nothing to show by day, place or person.",
        "In diesem Zeitraum ({period}) gab es keine Annäherungen; daher ist nach Tag, Ort und Person nichts darzustellen.";
    NO_SILENT_STATIONS = "No base station was silent, that is without contact for more than {hours}\u{a0}h, when the figures were \
        computed.",
        "Keine Basisstation war bei der Berechnung stumm, also seit mehr als {hours}\u{a0}h ohne Kontakt.";

    NOT_COMPARED = "Nobody was compared with others, because there are too few or too many of them.",
        "Niemand wurde mit anderen verglichen, weil es zu wenige oder zu viele gibt.";
    NOBODY_STANDS_OUT = "Nobody stands out among others of the same kind.",
        "Niemand fällt unter anderen derselben Art auf.";
    COMPARED = "Compared: {n}. Not compared, with too little exposure or too few of the same kind: {others}.",
        "Verglichen: {n}. Nicht verglichen, weil zu wenig Zeit oder zu wenige derselben Art: {others}.";
    OUTLIER_MACHINE = "{name}: {n} incursions in {exposure} of runtime.",
        "{name}: {n} Annäherungen in {exposure} Betriebszeit.";
    OUTLIER_OPERATOR = "{name}, driving: {n} incursions in {exposure}.",
        "{name}, als Maschinenführer: {n} Annäherungen in {exposure}.";
    OUTLIER_PEDESTRIAN = "{name}, on foot: {n} incursions in {exposure}.",
        "{name}, zu Fuß: {n} Annäherungen in {exposure}.";
    OUTLIER_WORKSITE = "{name}: {n} incursions in {exposure} of runtime at the worksite.",
        "{name}: {n} Annäherungen in {exposure} Betriebszeit am Standort.";
    KIND_AT_SITE = "{kind} at {site}", "{kind}, {site}";
    EXPECTED_AMONG_PEERS = "Compared with {peers} others ({kind}), about {expected} would be expected, and {low} to {high} would be usual.",
        "Im Vergleich mit {peers} anderen ({kind}) wären etwa {expected} zu erwarten und {low} bis {high} üblich.";
    CHANCE_IS_UNLIKELY = "Chance alone is an unlikely explanation.",
        "Zufall allein ist eine unwahrscheinliche Erklärung.";
    CHANCE_MAY_EXPLAIN = "Chance alone may explain the difference.",
        "Zufall allein kann den Unterschied erklären.";
}
