//! What stands on every page of a document.

use crate::text::{counted, texts};

texts! {
    /// The renderer puts in the numbers of the page and of the last page.
    PAGE_OF = "Page {page} of {pages}", "Seite {page} von {pages}";
    /// Above a table that continues; the renderer puts in its title.
    CONTINUED = "{title} (continued)", "{title} (Fortsetzung)";
    /// The author of a file, in its properties.
    MADE_BY = "{brand}, with Keepclear", "{brand}, mit Keepclear";
    PERIOD = "{from} to {to}", "{from} bis {to}";
    TOTAL = "Total", "Gesamt";
    YES = "Yes", "Ja";
    NO = "No", "Nein";
    NOTHING = "–", "–";
}

counted! {
    MORE_ROWS = ("and {n} more", "and {n} more"), ("und {n} weitere", "und {n} weitere");
}
