//! Texts of the pages that manage projects.

use crate::text::{counted, texts};

texts! {
    TITLE = "Projects", "Projekte";
    LEAD = "A project groups worksites. Users can be restricted to some projects and then see only what belongs to them.",
        "Ein Projekt fasst Standorte zusammen. Benutzer können auf einige Projekte beschränkt werden und sehen dann nur, \
        was zu diesen gehört.";
    PROJECT = "Project", "Projekt";
    NAME = "Name", "Name";
    CODE = "Project code", "Projektkürzel";
    CODE_HINT = "As your own systems name it, if they do.", "Wie Ihre eigenen Systeme es nennen, falls sie es tun.";
    NEW = "Add a project", "Projekt hinzufügen";
    SITES = "Sites of this project", "Standorte dieses Projekts";
    ARCHIVED_SINCE = "This project has been archived since {at}. Its sites stay as they are.",
        "Dieses Projekt ist seit {at} archiviert. Seine Standorte bleiben, wie sie sind.";
    RESTRICTED = "You are restricted to some projects, so you cannot add another one.",
        "Sie sind auf einige Projekte beschränkt und können deshalb kein weiteres hinzufügen.";
    ADDED = "The project was added.", "Das Projekt wurde hinzugefügt.";
    SAVED = "The project was saved.", "Das Projekt wurde gespeichert.";
    ARCHIVED = "The project was archived.", "Das Projekt wurde archiviert.";
    RESTORED = "The project was restored.", "Das Projekt wurde wiederhergestellt.";
    NONE_YET = "No projects yet", "Noch keine Projekte";
    NONE_YET_REASON = "Add the first one below, then add its sites.",
        "Fügen Sie unten das erste hinzu und danach seine Standorte.";
}

counted! {}
