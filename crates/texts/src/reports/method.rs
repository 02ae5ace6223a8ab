//! How the numbers are counted.

use crate::text::texts;

texts! {
    METHOD_INCURSION = "An incursion is the time during which a person's tag was inside the warning or the danger zone of a machine. \
        It belongs to the day and hour at which it began, and to the most dangerous zone that was entered.",
        "Eine Annäherung ist die Zeit, in der sich der Transponder einer Person in der Warnzone oder der Gefahrenzone einer Maschine \
        befand. Sie zählt zu dem Tag und der Stunde, in der sie begann, und zur gefährlichsten Zone, die betreten wurde.";
    METHOD_ACKNOWLEDGED = "Acknowledgement rate: incursions during which the operator pressed the button in the cab, divided by all \
        incursions.",
        "Quittierungsquote: Annäherungen, bei denen der Maschinenführer den Knopf in der Kabine drückte, geteilt durch alle \
        Annäherungen.";
    METHOD_RATE = "Incursions per runtime hour: incursions divided by the hours during which the ignition of the machines was on. \
        Without runtime there is no rate.",
        "Annäherungen je Betriebsstunde: Annäherungen geteilt durch die Stunden, in denen die Zündung der Maschinen eingeschaltet \
        war. Ohne Betriebszeit gibt es keinen Wert.";
    METHOD_EXPOSURE = "Time in zones: the summed durations of the incursions that have ended.",
        "Zeit in Zonen: die Summe der Dauern aller Annäherungen, die geendet haben.";
    METHOD_DAYS = "Days and hours are those of the local time of each worksite.",
        "Tage und Stunden sind die der Ortszeit jedes Standorts.";
    METHOD_DURATIONS = "Median and 95th percentile of the duration are by nearest rank, among the incursions that have ended.",
        "Median und 95. Perzentil der Dauer sind nach dem nächsten Rang bestimmt, unter den Annäherungen, die geendet haben.";
    METHOD_HEXAGONS = "The map counts incursions by the hexagon in which they began; a hexagon is about 19\u{a0}m wide.",
        "Die Karte zählt Annäherungen nach dem Sechseck, in dem sie begannen; ein Sechseck ist etwa 19\u{a0}m breit.";
    METHOD_FINDINGS = "Findings: a change is judged only with at least {n} incursions in one of the two periods, and a change of less \
        than {change} counts as none. Something stands out, such as a machine or an hour, with at least {n} incursions and twice the \
        share that it would have if they were spread evenly. A rate is called low, and lower than elsewhere, only with at least {n} \
        incursions and beyond what chance explains. No finding says why something happened.",
        "Aussagen auf der ersten Seite: Eine Veränderung wird nur bei mindestens {n} Annäherungen in einem der beiden Zeiträume \
        bewertet, und eine von weniger als {change} gilt als keine. Etwas fällt auf, etwa eine Maschine oder eine Stunde, mit \
        mindestens {n} Annäherungen und dem Doppelten des Anteils bei gleichmäßiger Verteilung. Eine Quote gilt nur bei mindestens {n} \
        Annäherungen und über den Zufall hinaus als niedrig oder niedriger als anderswo. Keine Aussage nennt Ursachen.";
    METHOD_OUTLIERS = "Comparison with others: the number that the rate of others of the same kind lets expect, with the range in \
        which 95\u{a0}% of them would lie. Chance counts as unlikely below 5\u{a0}%, corrected for the number of comparisons.",
        "Vergleich mit anderen: die Zahl, die nach der Rate anderer derselben Art zu erwarten ist, mit dem Bereich, in dem \
        95\u{a0}% von ihnen lägen. Zufall gilt unter 5\u{a0}% als unwahrscheinlich, bereinigt um die Zahl der Vergleiche.";
    METHOD_ROLES = "On foot counts incursions in which the person wore the tag that was detected; driving counts those of machines \
        that the person drove. Runtime is known only for driving.",
        "Zu Fuß zählt Annäherungen, bei denen die Person den erkannten Transponder trug; als Maschinenführer zählen die der \
        Maschinen, die die Person führte. Betriebszeit ist nur für das Führen bekannt.";
    METHOD_IN_TEST = "A tag is in test at a time if its last test until then was passed less than {days} days before.",
        "Ein Transponder hat zu einer Zeit einen gültigen Test, wenn sein letzter Test bis dahin bestanden wurde und weniger als \
        {days} Tage zurückliegt.";
    METHOD_COVERED_DAYS = "A day on which a tag was worn is covered if the tag was in test at the end of that day, or when it was \
        handed back. An incursion is in test if the tag was in test when it began.",
        "Ein Tag, an dem ein Transponder getragen wurde, ist abgedeckt, wenn der Transponder am Ende des Tages oder bei der Rückgabe \
        einen gültigen Test hatte. Eine Annäherung zählt als mit Test, wenn der Transponder bei ihrem Beginn einen gültigen Test hatte.";
    METHOD_TEST_DAYS = "Days of tags are those of the time zone {zone}, because tags belong to no worksite.",
        "Tage von Transpondern sind die der Zeitzone {zone}, weil Transponder zu keinem Standort gehören.";
    METHOD_WHOLE_WEEKS = "A week begins on Monday. It is incomplete if the period begins or ends within it, and only whole weeks are \
        compared.",
        "Eine Woche beginnt am Montag. Sie ist unvollständig, wenn der Zeitraum in ihr beginnt oder endet; nur ganze Wochen werden \
        verglichen.";
    METHOD_VISITS = "A visit counts for the day of its check-in, in the local time of its worksite.",
        "Ein Besuch zählt zum Tag seiner Anmeldung, in der Ortszeit seines Standorts.";
    METHOD_INCURSIONS_OF_VISITS = "Incursions of a visit are those of the visitor's tag from the check-in until the check-out, or \
        until the tag was handed back.",
        "Annäherungen eines Besuchs sind die des Transponders des Besuchers von der Anmeldung bis zur Abmeldung oder bis zur \
        Rückgabe des Transponders.";
    METHOD_REVIEWS = "Incursions count if their review is one of these: {reviews}.",
        "Annäherungen zählen, wenn ihre Prüfung eine von diesen ist: {reviews}.";
    METHOD_PREVIOUS = "The previous period is earlier by whole weeks, so that it has the same weekdays: {period}.",
        "Der vorherige Zeitraum liegt um ganze Wochen früher, damit er dieselben Wochentage hat: {period}.";
    METHOD_LATER_CHANGES = "Facts were added while the figures were computed. All changes up to the change number below are included, \
        and some later ones may be included in part.",
        "Während der Berechnung kamen Daten hinzu. Alle Änderungen bis zur unten genannten Änderungsnummer sind enthalten, einige \
        spätere möglicherweise zum Teil.";
}
