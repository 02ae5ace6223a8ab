//! The texts of /reports/site-reports. What sentences and facts are called stands in `narrative`.

use crate::text::{counted, find, texts};
use crate::{Language, values};

texts! {
    TITLE = "Written site reports", "Geschriebene Standortberichte";
    TITLE_OF = "Site report: {site}", "Standortbericht: {site}";
    LEAD = "A few sentences about a site. Each rests on facts that you can look up.",
        "Einige Sätze über einen Standort. Jeder beruht auf Fakten, die Sie nachsehen können.";
    ALL_OF_THEM = "All written site reports", "Alle geschriebenen Standortberichte";
    ORDER_TITLE = "Order one", "Einen anfordern";
    ORDER = "Have it written", "Schreiben lassen";
    NONE_YET = "Nothing was written yet", "Noch wurde nichts geschrieben";
    NONE_YET_REASON = "Choose a site, and its report is written within a minute or two.",
        "Wählen Sie einen Standort, und sein Bericht ist in ein bis zwei Minuten geschrieben.";
    NO_MATCH = "No written reports match", "Keine geschriebenen Berichte gefunden";
    NO_MATCH_REASON = "None that you see is about this site and in this state.",
        "Keiner, den Sie sehen, ist über diesen Standort und in diesem Zustand.";

    SITE = "Site", "Standort";
    LANGUAGE = "Language", "Sprache";
    LANGUAGE_OWN = "your own", "Ihre eigene";
    ENGLISH = "English", "Englisch";
    GERMAN = "German", "Deutsch";
    /// One of several texts, which may be about the same site and period.
    TEXT_TO_CHOOSE = "{site}, {period}, {language} (no. {id})", "{site}, {period}, {language} (Nr. {id})";
    GENERATOR = "Written by", "Geschrieben";
    BY_RULES = "rules", "nach Regeln";
    BY_MODEL = "a language model", "von einem Sprachmodell";

    NO_SENTENCES = "There is no text", "Es gibt keinen Text";
    NOTHING_TO_SAY = "The data of the period supports no sentence.", "Die Daten des Zeitraums tragen keinen Satz.";
    INCURSIONS_BEHIND = "The incursions of the period", "Die Annäherungen des Zeitraums";
    OTHER_FACTS = "Facts that no sentence reports", "Fakten, von denen kein Satz spricht";
    CHANGE = "{percent} against {with}", "{percent} gegenüber: {with}";

    MODEL = "Language model", "Sprachmodell";
    ANSWER = "Answer {number}", "Antwort {number}";
    ACCEPTED = "It was accepted.", "Sie wurde angenommen.";
    TOO_MANY_SENTENCES = "The answer had too many sentences.", "Die Antwort hatte zu viele Sätze.";
    DROPPED = "Sentence {number} was dropped: {reason}", "Satz {number} wurde verworfen: {reason}";
    DROPPED_AT = "Sentence {number} was dropped at “{detail}”: {reason}",
        "Satz {number} wurde bei „{detail}“ verworfen: {reason}";

    DROP_NO_FACTS = "it cites no fact, or too many.", "er nennt keinen Fakt oder zu viele.";
    DROP_UNKNOWN_FACT = "it cites a fact that does not exist.", "er nennt einen Fakt, den es nicht gibt.";
    DROP_NUMBER = "the number is not that of the fact.", "die Zahl ist nicht die des Fakts.";
    DROP_NAME = "the name is not that of the fact.", "der Name ist nicht der des Fakts.";
    DROP_WORDS = "the facts do not say this.", "das sagen die Fakten nicht.";
    DROP_CHARACTERS = "it has characters that no sentence has.", "er hat Zeichen, die kein Satz hat.";
    DROP_EXTRA_SENTENCE = "it is more than one sentence.", "er ist mehr als ein Satz.";
    DROP_UNFINISHED = "it does not end.", "er endet nicht.";
    DROP_TOO_LONG = "it is too long.", "er ist zu lang.";
    DROP_REPEATED = "its facts were reported already.", "von seinen Fakten war schon die Rede.";
    DROP_TOO_MANY = "it is one more than there may be.", "er ist einer mehr als erlaubt.";

    AS_DOCUMENT = "As a document", "Als Dokument";
    RENDER = "Make the document", "Dokument erstellen";
    CANCEL_WRITING = "Cancel", "Abbrechen";
    DELETE = "Delete", "Löschen";
    DELETE_HINT = "The text and its facts are deleted for everyone. Documents made from it stay.",
        "Der Text und seine Fakten werden für alle gelöscht. Dokumente daraus bleiben.";

    ORDERED = "The site report is being written.", "Der Standortbericht wird geschrieben.";
    DELETED = "The site report was deleted.", "Der Standortbericht wurde gelöscht.";
}

counted! {
    FACTS_BEHIND = ("The fact behind it", "The {n} facts behind it"),
        ("Der Fakt dahinter", "Die {n} Fakten dahinter");
}

/// Says why a sentence of the language model was dropped.
pub fn drop_reason(language: Language, word: &str) -> &'static str {
    let table = [
        ("no_facts", DROP_NO_FACTS),
        ("unknown_fact", DROP_UNKNOWN_FACT),
        ("number", DROP_NUMBER),
        ("name", DROP_NAME),
        ("words", DROP_WORDS),
        ("characters", DROP_CHARACTERS),
        ("extra_sentence", DROP_EXTRA_SENTENCE),
        ("unfinished", DROP_UNFINISHED),
        ("too_long", DROP_TOO_LONG),
        ("repeated", DROP_REPEATED),
        ("too_many", DROP_TOO_MANY),
    ];
    find(language, word, &table).unwrap_or(values::UNKNOWN.get(language))
}

/// Says what became of an answer of the language model.
pub fn outcome(language: Language, word: &str) -> &'static str {
    match word {
        "accepted" => ACCEPTED.get(language),
        "too_many_sentences" => TOO_MANY_SENTENCES.get(language),
        _ => crate::narrative::fallback(language, word),
    }
}
