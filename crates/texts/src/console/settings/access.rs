//! Texts of roles and projects, which users and service accounts share.

use crate::text::{counted, texts};

texts! {
    ROLE = "Role", "Rolle";
    VIEWER = "Viewer", "Leser";
    MEMBER = "Member", "Mitglied";
    ADMIN = "Admin", "Administrator";
    ABOUT_VIEWER = "Viewer: sees everything but the names of people, and changes nothing",
        "Leser: sieht alles außer den Namen von Personen und ändert nichts";
    ABOUT_VIEWER_WITH_NAMES = "Viewer: sees everything, and changes nothing",
        "Leser: sieht alles und ändert nichts";
    ABOUT_MEMBER = "Member: also reviews incursions and changes machines, people, sites and alerts",
        "Mitglied: bewertet auch Annäherungen und ändert Maschinen, Personen, Standorte und Alarme";
    ABOUT_ADMIN = "Admin: also manages users, devices and the brand",
        "Administrator: verwaltet auch Benutzer, Geräte und die Marke";

    ACCESS = "Projects", "Projekte";
    ALL_PROJECTS = "All projects, also new ones", "Alle Projekte, auch neue";
    SOME_PROJECTS = "Only the projects that are ticked below", "Nur die Projekte, die unten angekreuzt sind";
    PROJECTS = "Only these projects", "Nur diese Projekte";
    PROJECTS_HINT = "Without any, nothing of the brand is visible.",
        "Ohne eines davon ist nichts von der Marke sichtbar.";
    SEES_ALL = "All", "Alle";
    NONE = "None", "Keine";
}

counted! {
    NUMBER_OF_PROJECTS = ("{n} project", "{n} projects"), ("{n} Projekt", "{n} Projekte");
}
