//! Forms that are shown again: they still notice what others have changed since they were filled

use domain::Role;
use testkit::{TestApp, on_both_engines};

use crate::console::{open, submit};
use crate::v1::incursions::Yard;

on_both_engines!(
    a_refused_form_notices_what_others_changed,
    a_form_that_was_brought_back_notices_what_others_changed,
    a_list_of_dimensions_notices_what_others_changed,
    what_is_stored_now_is_written_beside_what_was_sent,
);

type Fields = &'static [(&'static str, &'static str)];

/// A form with what others send while it is open, what is refused, and what is sent then.
struct Case {
    page: &'static str,
    to: &'static str,
    theirs: Fields,
    wrong: Fields,
    mine: Fields,
    /// What the page says about their change.
    says: &'static str,
}

const NAMED: &str = "Stored now: Theirs";

const CASES: &[Case] = &[
    Case {
        page: "/settings/brand",
        to: "/settings/brand",
        theirs: &[("name", "Theirs")],
        wrong: &[("name", "Mine"), ("test_interval_days", "0")],
        mine: &[("name", "Mine")],
        says: NAMED,
    },
    Case {
        page: "/settings/projects/1",
        to: "/settings/projects/1",
        theirs: &[("name", "Theirs"), ("code", "")],
        wrong: &[("name", ""), ("code", "")],
        mine: &[("name", "Mine"), ("code", "")],
        says: NAMED,
    },
    Case {
        page: "/settings/machines/1",
        to: "/settings/machines/1",
        theirs: &[("name", "Theirs"), ("kind", "crane")],
        wrong: &[("name", ""), ("kind", "crane")],
        mine: &[("name", "Mine"), ("kind", "crane")],
        says: NAMED,
    },
    Case {
        page: "/settings/people/1",
        to: "/settings/people/1",
        theirs: &[("kind", "staff"), ("name", "Theirs")],
        wrong: &[("kind", "staff"), ("name", "")],
        mine: &[("kind", "staff"), ("name", "Mine")],
        says: NAMED,
    },
    Case {
        page: "/settings/base-stations/1",
        to: "/settings/base-stations/1",
        theirs: &[("serial", "BS-1"), ("name", "Theirs"), ("cameras", ""), ("zones", "")],
        wrong: &[("serial", ""), ("name", "Mine"), ("cameras", ""), ("zones", "")],
        mine: &[("serial", "BS-1"), ("name", "Mine"), ("cameras", ""), ("zones", "")],
        says: NAMED,
    },
    Case {
        page: "/settings/preferences",
        to: "/settings/preferences",
        theirs: &[("time_zone", "Europe/Vienna")],
        wrong: &[("time_zone", "Mars")],
        mine: &[("time_zone", "Europe/Berlin")],
        says: "Stored now: Europe/Vienna",
    },
    Case {
        page: "/sites/1/edit",
        to: "/sites/1/edit",
        theirs: &[("name", "Theirs")],
        wrong: &[("name", "")],
        mine: &[("name", "Mine")],
        says: NAMED,
    },
    Case {
        page: "/alerts/1/edit",
        to: "/alerts/1/edit",
        theirs: &[
            ("name", "Theirs"),
            ("metric", "incursions"),
            ("threshold", "3"),
            ("recipients", "a@example.com"),
        ],
        wrong: &[("name", ""), ("metric", "incursions"), ("threshold", "3"), ("recipients", "a@example.com")],
        mine: &[
            ("name", "Mine"),
            ("metric", "incursions"),
            ("threshold", "3"),
            ("recipients", "a@example.com"),
        ],
        says: NAMED,
    },
    Case {
        page: "/incursions/1",
        to: "/incursions/1/review",
        theirs: &[("state", "confirmed"), ("comment", "Seen by me")],
        wrong: &[("state", "seen")],
        mine: &[("state", "dismissed")],
        says: "Seen by me",
    },
];

/// The fields with the version that the form was filled from.
fn at_version<'a>(fields: &[(&'a str, &'a str)], version: &'a str) -> Vec<(&'a str, &'a str)> {
    fields.iter().copied().chain([("_version", version)]).collect()
}

async fn a_refused_form_notices_what_others_changed(app: TestApp) {
    let yard = Yard::new(app).await;
    yard.app.allow_leftover_jobs();
    yard.facts.add_incursions(vec![yard.row(30, Some(1))]).await;
    let cookie = &yard.admin.cookie;
    let alert =
        [("name", "Yard"), ("metric", "incursions"), ("threshold", "3"), ("recipients", "a@example.com")];
    submit(&yard.app, cookie, "/alerts/new", &alert).await.expect(303);
    for Case { page, to, theirs, wrong, mine, says } in CASES {
        let version = open(&yard.app, cookie, page).await.expect(200).field("_version").unwrap();
        submit(&yard.app, cookie, to, theirs).await.expect(303);
        let refused = submit(&yard.app, cookie, to, &at_version(wrong, &version)).await.expect(422);
        assert_eq!(refused.field("_version").as_ref(), Some(&version), "{page}");
        let stale = submit(&yard.app, cookie, to, &at_version(mine, &version)).await.expect(412);
        assert!(stale.says("Somebody else changed this") && stale.says(says), "{page}: {}", stale.text());
        // Whoever knows of the change may overwrite it.
        let current = stale.field("_version").unwrap();
        assert_ne!(current, version, "{page}");
        submit(&yard.app, cookie, to, &at_version(mine, &current)).await.expect(303);
    }
}

async fn a_form_that_was_brought_back_notices_what_others_changed(app: TestApp) {
    let yard = Yard::new(app).await;
    let (cookie, page) = (&yard.admin.cookie, "/settings/projects/1");
    let version = open(&yard.app, cookie, page).await.expect(200).field("_version").unwrap();
    submit(&yard.app, cookie, page, &[("name", "Theirs"), ("code", "")]).await.expect(303);
    let mine = [("name", "Mine"), ("code", ""), ("_version", version.as_str())];
    let resumed: Vec<_> = mine.into_iter().chain([("_resumed", "1")]).collect();
    let back = submit(&yard.app, cookie, page, &resumed).await.expect(200);
    assert_eq!(back.field("name").as_deref(), Some("Mine"));
    assert_eq!(back.field("_version").as_ref(), Some(&version));
    submit(&yard.app, cookie, page, &mine).await.expect(412);
    let stored = yard.app.get("/api/v1/projects/1").cookie(cookie).send().await.expect(200).json();
    assert_eq!(stored["name"], "Theirs");
}

async fn a_list_of_dimensions_notices_what_others_changed(app: TestApp) {
    let vic = app.sign_in_new_user("vic@example.com", Role::Viewer).await;
    let page = "/settings/preferences";
    let version = open(&app, &vic.cookie, page).await.expect(200).field("_version").unwrap();
    submit(&app, &vic.cookie, page, &[("units", "imperial")]).await.expect(303);
    let wrong = [("place_worksite", "0"), ("_version", version.as_str())];
    let refused = submit(&app, &vic.cookie, &format!("{page}/dimensions"), &wrong).await.expect(422);
    // The other form of the page is filled from what is stored.
    assert_ne!(refused.field("_version").as_ref(), Some(&version));
    assert!(refused.reply.text().contains(&format!("name=\"_version\" value=\"{version}\"")));
}

async fn what_is_stored_now_is_written_beside_what_was_sent(app: TestApp) {
    let yard = Yard::new(app).await;
    let (cookie, page) = (&yard.admin.cookie, "/settings/machines/1");
    let version = open(&yard.app, cookie, page).await.expect(200).field("_version").unwrap();
    let theirs = [("name", "Crane 1"), ("kind", "crane"), ("model", "<b>LR 9</b>"), ("worksite_id", "2")];
    submit(&yard.app, cookie, page, &theirs).await.expect(303);
    let mine = [("name", "Crane 1"), ("kind", "crane"), ("model", ""), ("worksite_id", ""), ("year", "2019")];
    let stale = submit(&yard.app, cookie, page, &at_version(&mine, &version)).await.expect(412);
    for words in ["Stored now: <b>LR 9</b>", "Stored now: Site 2", "Stored now: nothing"] {
        assert!(stale.says(words), "{words}: {}", stale.text());
    }
    // What is the same on both sides is not repeated.
    assert!(!stale.says("Stored now: Crane 1"), "{}", stale.text());
    let corrected = at_version(&mine, &version).into_iter().map(|(name, value)| match name {
        "year" => (name, "soon"),
        _ => (name, value),
    });
    let refused = submit(&yard.app, cookie, page, &corrected.collect::<Vec<_>>()).await.expect(422);
    assert!(!refused.says("Stored now"), "{}", refused.text());
}
