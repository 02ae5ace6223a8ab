//! Drawing the boundary of a site

use domain::Role;
use serde_json::{Value, json};
use testkit::{Account, Engine, TestApp};

use super::{arrive, assert_calm, browse_as};
use crate::browser::live::HURRY_CHECKS;
use crate::browser::{Browser, Look};

with_and_without_script!(a_boundary_is_refused_where_it_crosses_and_drawn_again);

const SQUARE: &str =
    r#"{"type": "Polygon", "coordinates": [[[13, 52], [13.01, 52], [13.01, 52.01], [13, 52.01], [13, 52]]]}"#;
/// Its edges cross in the middle.
const BOW: &str =
    r#"{"type": "Polygon", "coordinates": [[[13, 52], [13.01, 52.01], [13.01, 52], [13, 52.01], [13, 52]]]}"#;
/// The corners of both on the map, in parts of its width and height.
const SQUARE_ON_MAP: [(f64, f64); 4] = [(0.3, 0.3), (0.7, 0.3), (0.7, 0.7), (0.3, 0.7)];
const BOW_ON_MAP: [(f64, f64); 4] = [(0.3, 0.3), (0.7, 0.7), (0.7, 0.3), (0.3, 0.7)];

/// Returns the distance of the mark of the fault from the middle of the map, in pixels.
const DISTANCE_OF_FAULT: &str = "
    const middle = (selector) => {
        const { x, y, width, height } = document.querySelector(selector).getBoundingClientRect();
        return [x + width / 2, y + height / 2];
    };
    const [mark, map] = [middle('.map-fault'), middle('[data-map=edit]')];
    return Math.hypot(mark[0] - map[0], mark[1] - map[1]);
";
const CIRCLE: &str = r#"{"type": "Circle", "center": [13.005, 52.005], "radius_m": 250}"#;
/// Its centre, and a point on its line.
const CIRCLE_ON_MAP: [(f64, f64); 2] = [(0.5, 0.5), (0.7, 0.5)];
/// East of the square.
const EAST: &str = r#"{"type": "Polygon", "coordinates": [[[13.1, 52], [13.11, 52], [13.11, 52.01], [13.1, 52.01], [13.1, 52]]]}"#;
/// The square with its north-east corner a quarter nearer to the others.
const DENTED: &str = r#"{"type": "Polygon", "coordinates": [[[13, 52], [13.01, 52], [13.0075, 52.0075], [13, 52.01], [13, 52]]]}"#;
/// Returns where the drawn boundary is in the window. The handles at its corners are smaller.
const BOX_OF_BOUNDARY: &str = "
    const map = document.querySelector('[data-map=edit]');
    map.scrollIntoView({ block: 'center' });
    const shapes = Array.from(map.querySelectorAll('path:not(.map-other)'));
    const boxes = shapes.map((shape) => shape.getBoundingClientRect());
    const { right, top, width, height } = boxes.reduce((one, other) => (other.width > one.width ? other : one));
    return [right, top, width, height];
";
const AREA_OF_MAP: &str = "
    const map = document.querySelector('[data-map=edit]');
    map.scrollIntoView({ block: 'center' });
    const { x, y, width, height } = map.getBoundingClientRect();
    return [x, y, width, height];
";

/// Returns where points of the map are in the window.
async fn places_on_map(browser: &Browser, points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let area = browser.run(AREA_OF_MAP, &[]).await;
    let [left, top, width, height]: [f64; 4] = serde_json::from_value(area).unwrap();
    points.iter().map(|(x, y)| (left + width * x, top + height * y)).collect()
}

/// Whether boundaries can be drawn. A build without the libraries of maps has no map, and boundaries are entered as text.
async fn has_map(browser: &Browser) -> bool {
    browser.run("return document.querySelector('[data-map=edit]') !== null", &[]).await == true
}

/// Returns the boundary that the form has.
async fn boundary_of(browser: &Browser) -> Value {
    serde_json::from_str(&browser.value("[name=boundary]").await).unwrap()
}

/// Fills in what a new site needs besides its boundary.
async fn fill_new_site(browser: &Browser) {
    browser.open("/sites/new").await;
    browser.fill("[name=name]", "Harbour").await;
    browser.choose("[name=kind]", "logistics").await;
    browser.fill("[name=time_zone]", "Europe/Berlin").await;
}

/// Draws a polygon by setting its corners, and clicking the first one again.
async fn draw(browser: &Browser, corners: [(f64, f64); 4]) {
    browser.press("Draw a polygon").await;
    let corners: Vec<(f64, f64)> = corners.into_iter().chain([corners[0]]).collect();
    browser.click_at(&places_on_map(browser, &corners).await).await;
    let drawn = boundary_of(browser).await;
    assert_eq!(drawn["type"], "Polygon");
    assert_eq!(drawn["coordinates"][0].as_array().map(Vec::len), Some(5), "{drawn}");
}

/// Adds a site with a boundary, to which the map of a new one turns.
async fn add_neighbour(app: &TestApp, user: &Account) {
    add_site(app, user, "Neighbour", SQUARE).await;
}

async fn add_site(app: &TestApp, user: &Account, name: &str, boundary: &str) {
    let boundary: Value = serde_json::from_str(boundary).unwrap();
    let site = json!({
        "name": name, "colour": "#ff8800", "kind": "other", "time_zone": "UTC", "boundary": boundary,
    });
    app.post("/api/v1/worksites").cookie(&user.cookie).json(&site).send().await.expect(201);
}

/// Returns the number of points of the boundary of site 2.
async fn count_points(app: &TestApp, user: &Account) -> usize {
    let geo = app.get("/api/v1/worksites/2/geo").cookie(&user.cookie).send().await.expect(200).json();
    let features = geo["features"].as_array().unwrap();
    let boundary = features.iter().find(|feature| feature["properties"]["feature"] == "boundary").unwrap();
    boundary["geometry"]["coordinates"][0].as_array().unwrap().len()
}

async fn a_boundary_is_refused_where_it_crosses_and_drawn_again(app: TestApp, look: Look) {
    // The facts are attributed to the new boundaries later.
    app.allow_leftover_jobs();
    let member = app.sign_in_new_user("member@example.com", Role::Member).await;
    add_neighbour(&app, &member).await;
    let browser = browse_as(&app, look, &member.cookie).await;
    fill_new_site(&browser).await;
    let is_drawn = look.has_script && has_map(&browser).await;
    if is_drawn {
        // The map turns to the sites that there are.
        browser.value(".map-other").await;
        draw(&browser, BOW_ON_MAP).await;
    } else {
        browser.fill("[name=boundary]", BOW).await;
    }
    browser.press("Save").await;
    browser.wait_for("Look at the point near 13.00").await;
    browser.wait_for("Lines of the boundary cross or touch each other.").await;
    assert_eq!(browser.value("[name=name]").await, "Harbour");
    if is_drawn {
        assert!(browser.text_of(".map-fault-words").await.contains("cross or touch"));
        let distance = browser.run(DISTANCE_OF_FAULT, &[]).await.as_f64().unwrap();
        assert!(distance < 10.0, "the mark is {distance} pixels from where the edges cross");
        browser.press("Remove the boundary").await;
        assert_eq!(browser.value("[name=boundary]").await, "");
        draw(&browser, SQUARE_ON_MAP).await;
    } else {
        browser.fill("[name=boundary]", SQUARE).await;
    }
    browser.press("Save").await;
    browser.wait_for("The site was added.").await;
    arrive(&browser, "/sites/2").await;
    assert_eq!(count_points(&app, &member).await, 5);
    assert_calm(&browser, &[422]).await;
}

/// SQLite only, because no engine sees what is drawn.
#[test]
fn a_circle_is_drawn_and_stays_centre_and_radius() {
    testkit::run(Engine::Sqlite, draw_circle);
}

async fn draw_circle(app: TestApp) {
    // The facts are attributed to the new boundaries later.
    app.allow_leftover_jobs();
    let member = app.sign_in_new_user("member@example.com", Role::Member).await;
    add_neighbour(&app, &member).await;
    let browser = browse_as(&app, Look::default(), &member.cookie).await;
    fill_new_site(&browser).await;
    let is_drawn = has_map(&browser).await;
    if is_drawn {
        // The map turns to the sites that there are.
        browser.value(".map-other").await;
        browser.press("Draw a circle").await;
        browser.click_at(&places_on_map(&browser, &CIRCLE_ON_MAP).await).await;
    } else {
        browser.fill("[name=boundary]", CIRCLE).await;
    }
    let drawn = boundary_of(&browser).await;
    browser.press("Save").await;
    browser.wait_for("The site was added.").await;
    browser.open("/sites/2/edit").await;
    if is_drawn {
        // Now the map has read the boundary.
        browser.value(".map-other").await;
    }
    let stored = boundary_of(&browser).await;
    let numbers = |circle: &Value| {
        let number = |value: &Value| value.as_f64().unwrap();
        (number(&circle["center"][0]), number(&circle["center"][1]), number(&circle["radius_m"]))
    };
    assert_eq!((&drawn["type"], &stored["type"]), (&json!("Circle"), &json!("Circle")), "{drawn} {stored}");
    assert_eq!(numbers(&stored), numbers(&drawn));
    assert_calm(&browser, &[]).await;
}

/// SQLite only, because no engine sees what is drawn.
#[test]
fn a_corner_of_a_boundary_is_moved() {
    testkit::run(Engine::Sqlite, move_corner);
}

/// SQLite only, because no engine sees what is drawn.
#[test]
fn a_boundary_that_was_drawn_stays_when_the_session_ends() {
    testkit::run(Engine::Sqlite, draw_without_session);
}

async fn draw_without_session(app: TestApp) {
    // The facts are attributed to the new boundaries later.
    app.allow_leftover_jobs();
    let member = app.sign_in_new_user("member@example.com", Role::Member).await;
    add_site(&app, &member, "Harbour", SQUARE).await;
    add_site(&app, &member, "Neighbour", EAST).await;
    let browser = browse_as(&app, Look::default(), &member.cookie).await;
    browser.command("Page.addScriptToEvaluateOnNewDocument", json!({ "source": HURRY_CHECKS })).await;
    browser.open("/sites/1/edit").await;
    if !has_map(&browser).await {
        // What is typed says nothing about what is drawn.
        return;
    }
    let before = corners_of(&boundary_of(&browser).await);
    drag_corner(&browser).await;
    let drawn = boundary_of(&browser).await;
    assert_ne!(corners_of(&drawn), before);
    browser.forget_session().await;
    browser.wait_for("You are no longer signed in.").await;
    assert_eq!(boundary_of(&browser).await, drawn);
}

/// SQLite only, because no engine sees what is drawn.
#[test]
fn a_boundary_that_was_removed_stays_removed_when_the_session_ends() {
    testkit::run(Engine::Sqlite, remove_without_session);
}

async fn remove_without_session(app: TestApp) {
    // The facts are attributed to the new boundaries later.
    app.allow_leftover_jobs();
    let member = app.sign_in_new_user("member@example.com", Role::Member).await;
    add_site(&app, &member, "Harbour", SQUARE).await;
    add_site(&app, &member, "Neighbour", EAST).await;
    let browser = browse_as(&app, Look::default(), &member.cookie).await;
    browser.command("Page.addScriptToEvaluateOnNewDocument", json!({ "source": HURRY_CHECKS })).await;
    browser.open("/sites/1/edit").await;
    if !has_map(&browser).await {
        return;
    }
    // Now the map has read the boundary.
    browser.value(".map-other").await;
    browser.run("document.querySelector('[data-draw=clear]').click()", &[]).await;
    assert_eq!(browser.value("[name=boundary]").await, "");
    browser.forget_session().await;
    browser.wait_for("You are no longer signed in.").await;
    assert_eq!(browser.value("[name=boundary]").await, "");
}

/// Returns the corners of a polygon in some order, each once.
fn corners_of(boundary: &Value) -> Vec<[f64; 2]> {
    let mut ring: Vec<[f64; 2]> = serde_json::from_value(boundary["coordinates"][0].clone()).unwrap();
    // The last one is the first again.
    ring.pop();
    ring.sort_by(|one, other| one.partial_cmp(other).unwrap());
    ring
}

/// Drags the north-east corner of the square by a quarter towards the others.
async fn drag_corner(browser: &Browser) {
    // Now the map has read the boundary.
    browser.value(".map-other").await;
    let shown = browser.run(BOX_OF_BOUNDARY, &[]).await;
    let [right, top, width, height]: [f64; 4] = serde_json::from_value(shown).unwrap();
    browser.drag((right, top), (right - width / 4.0, top + height / 4.0)).await;
}

async fn move_corner(app: TestApp) {
    // The facts are attributed to the new boundaries later.
    app.allow_leftover_jobs();
    let member = app.sign_in_new_user("member@example.com", Role::Member).await;
    add_site(&app, &member, "Harbour", SQUARE).await;
    add_site(&app, &member, "Neighbour", EAST).await;
    let browser = browse_as(&app, Look::default(), &member.cookie).await;
    browser.open("/sites/1/edit").await;
    let before = corners_of(&boundary_of(&browser).await);
    if has_map(&browser).await {
        drag_corner(&browser).await;
    } else {
        browser.fill("[name=boundary]", DENTED).await;
    }
    let after = corners_of(&boundary_of(&browser).await);
    let moved: Vec<_> = after.iter().filter(|corner| !before.contains(corner)).collect();
    let [[lon, lat]] = moved[..] else { panic!("not one corner was moved: {before:?} {after:?}") };
    // The pointer moves by whole pixels of some metres each.
    assert!((lon - 13.0075).abs() < 0.001 && (lat - 52.0075).abs() < 0.001, "{lon} {lat}");
    assert_eq!(after.len(), 4, "{after:?}");
    browser.press("Save").await;
    browser.wait_for("The site was saved.").await;
    browser.open("/sites/1/edit").await;
    assert_eq!(corners_of(&boundary_of(&browser).await), after);
    assert_calm(&browser, &[]).await;
}
