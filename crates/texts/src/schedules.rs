//! The texts of mails that carry the report of a schedule, or tell its author that there is none.

use crate::text::{counted, texts};
use crate::{Language, values};

texts! {
    SUBJECT = "{schedule}: {title}, {period}", "{schedule}: {title}, {period}";
    /// For an address that belongs to no user.
    GREETING_WITHOUT_NAME = "Hello,", "Guten Tag,";
    ATTACHED = "A scheduled report is ready. It is attached to this mail.",
        "Ein geplanter Bericht ist fertig. Er ist dieser Mail angehängt.";
    LINKED = "A scheduled report is ready. With {size} it is too large to be attached. To download it, open this \
        link:",
        "Ein geplanter Bericht ist fertig. Mit {size} ist er zu groß für einen Anhang. Um ihn herunterzuladen, öffnen \
        Sie diesen Link:";
    DOWNLOAD = "Download the report", "Bericht herunterladen";
    LINK_UNTIL = "The link works until {until}. Whoever has it can download the report.",
        "Der Link funktioniert bis {until}. Wer ihn hat, kann den Bericht herunterladen.";

    REPORT = "Report", "Bericht";
    PERIOD = "Period", "Zeitraum";
    SCHEDULE = "Schedule", "Zeitplan";
    FROM_TO = "{from} to {to}", "{from} bis {to}";
    SET_UP_BY = "{author} set up this schedule at {brand}. If you no longer want to receive these reports, ask \
        {asked}.",
        "{author} hat diesen Zeitplan bei {brand} eingerichtet. Wenn Sie diese Berichte nicht mehr erhalten möchten, \
        wenden Sie sich an {asked}.";

    FAILURE_SUBJECT = "{schedule}: the report could not be made",
        "{schedule}: Der Bericht konnte nicht erstellt werden";
    FAILED = "A scheduled report could not be made, so that nobody has received it.",
        "Ein geplanter Bericht konnte nicht erstellt werden, sodass ihn niemand erhalten hat.";
    REASON = "Reason", "Grund";
    NEXT_RUN = "The schedule runs next on {next}.", "Der Zeitplan läuft das nächste Mal am {next}.";
    YOUR_SCHEDULE = "You receive this mail because you set up the schedule at {brand}.",
        "Sie erhalten diese Mail, weil Sie den Zeitplan bei {brand} eingerichtet haben.";
}

counted! {}

/// Returns a date with the name of its month.
pub fn long_date(language: Language, (year, month, day): (i64, i64, i64)) -> String {
    let (year, day) = (year.to_string(), day.to_string());
    let month = values::month(language, month - 1);
    values::LONG_DATE.fill(language, &[("day", &day), ("month", month), ("year", &year)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_written_out() {
        assert_eq!(long_date(Language::English, (2026, 3, 2)), "2 March 2026");
        assert_eq!(long_date(Language::German, (2026, 12, 31)), "31. Dezember 2026");
    }
}
