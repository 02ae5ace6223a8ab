use domain::WorksiteId;
use proptest::prelude::*;
use serde_json::Value;

use super::*;
use crate::position::{is_between, orientation};
use crate::{BoundaryTerm, SiteIndex, rings};

fn polygon(rings: &[Vec<[f64; 2]>]) -> Value {
    json!({ "type": "Polygon", "coordinates": rings })
}

/// A closed square with this south-western corner.
fn square(lon: f64, lat: f64, size: f64) -> Vec<[f64; 2]> {
    vec![[lon, lat], [lon + size, lat], [lon + size, lat + size], [lon, lat + size], [lon, lat]]
}

fn read(value: &Value) -> Boundary {
    Boundary::from_geojson(value).unwrap()
}

fn reason(value: &Value) -> String {
    let invalid = Boundary::from_geojson(value).unwrap_err();
    assert_eq!(invalid.code, "invalid_polygon", "{invalid}");
    invalid.message.into_owned()
}

fn at(lon: f64, lat: f64) -> Position {
    Position::new(lon, lat).unwrap()
}

#[test]
fn a_polygon_is_read_wound_and_written_back() {
    let clockwise: Vec<[f64; 2]> = square(13.0, 52.0, 0.01).into_iter().rev().collect();
    let hole = square(13.004, 52.004, 0.001);
    let boundary = read(&polygon(&[clockwise, hole]));
    let shown = boundary.to_geojson();
    assert_eq!(shown["coordinates"][0][0], shown["coordinates"][0][4]);
    assert!(
        rings::signed_doubled_area(&boundary.rings()[0]) > 0
            && rings::signed_doubled_area(&boundary.rings()[1]) < 0
    );
    let kept = boundary.to_stored();
    let again = Boundary::from_stored(&kept, boundary.area_m2()).unwrap();
    assert_eq!((again.to_stored(), again.area_m2()), (kept, boundary.area_m2()));
    assert_eq!(read(&again.to_geojson()).to_stored(), again.to_stored());
    // The closed formula for such a cell of the ellipsoid gives 764,077.6 m², and 7,640.9 m² for the hole.
    assert_eq!(boundary.area_m2(), 756_437);
    assert_eq!(boundary.bbox(), [13.0, 52.0, 13.01, 52.01]);
    assert_eq!(Boundary::from_stored("{}", 1), None);
}

#[test]
fn features_and_heights_are_taken() {
    let ring: Vec<[f64; 3]> =
        square(13.0, 52.0, 0.01).into_iter().map(|[lon, lat]| [lon, lat, 35.0]).collect();
    let feature = json!({
        "type": "Feature", "properties": { "name": "x" },
        "geometry": { "type": "Polygon", "coordinates": [ring], "bbox": [1, 2, 3, 4] },
    });
    assert_eq!(read(&feature).to_stored(), read(&polygon(&[square(13.0, 52.0, 0.01)])).to_stored());
}

#[test]
fn what_is_no_polygon_is_refused_with_reason_and_place() {
    let base = square(13.0, 52.0, 0.01);
    let with = |index: usize, to: [f64; 2]| {
        let mut ring = base.clone();
        ring[index] = to;
        polygon(&[ring])
    };
    let holed = |hole: Vec<[f64; 2]>| polygon(&[base.clone(), hole]);
    let bow = vec![[13.0, 52.0], [13.01, 52.01], [13.01, 52.0], [13.0, 52.01], [13.0, 52.0]];
    let spike =
        vec![[13.0, 52.0], [13.01, 52.0], [13.01, 52.01], [13.01, 52.005], [13.0, 52.01], [13.0, 52.0]];
    let touch = vec![[13.0, 52.0], [13.02, 52.0], [13.02, 52.01], [13.01, 52.0], [13.0, 52.01], [13.0, 52.0]];
    for (value, part) in [
        (json!({ "type": "Polygon" }), "coordinates must be a list of rings"),
        (json!({ "type": "Polygon", "coordinates": [] }), "there is no ring"),
        (json!({ "type": "Polygon", "coordinates": [7] }), "ring 0 must be a list"),
        (json!({ "type": "Polygon", "coordinates": [[]] }), "ring 0 has 0 points"),
        (json!({ "type": "Polygon", "coordinates": [[[1, 1], [2, 2], [1, 1]]] }), "ring 0 has 3 points"),
        (json!({ "type": "MultiPolygon", "coordinates": [] }), "the type must be"),
        (json!({ "type": 7 }), "the type must be"),
        (json!({}), "the type must be"),
        (json!({ "type": "Feature", "geometry": null }), "no geometry"),
        (json!({ "type": "Feature", "geometry": { "type": "Feature" } }), "the type must be"),
        (
            json!({ "type": "Polygon", "coordinates": [[[1, 1], [2], [3, 3], [1, 1]]] }),
            "point 1 of ring 0 must be",
        ),
        (
            json!({ "type": "Polygon", "coordinates": [[[1, 1], ["2", 2], [3, 3], [1, 1]]] }),
            "point 1 of ring 0",
        ),
        (
            json!({ "type": "Polygon", "coordinates": [[[1, 1], [1, 2, 3, 4], [3, 3], [1, 1]]] }),
            "point 1 of ring 0",
        ),
        (with(4, [13.0, 52.1]), "ring 0 is not closed: it begins at [13, 52] and ends at [13, 52.1]"),
        (with(2, [13.01, 90.5]), "point 2 of ring 0 is not on the globe"),
        (with(2, [1e300, 52.0]), "point 2 of ring 0 is not on the globe"),
        (with(2, [13.01, 52.0]), "points 1 and 2 of ring 0 are the same"),
        (polygon(&[bow]), "ring 0 crosses or touches itself between points 0 and 2 near [13.005, 52.005]"),
        (polygon(&[spike]), "ring 0 folds back on itself at point 2 near [13.01, 52.01]"),
        (polygon(&[touch]), "ring 0 crosses or touches itself between points 0 and 3 near [13.01, 52]"),
        (polygon(&[vec![[1.0, 1.0], [2.0, 2.0], [3.0, 3.0], [1.0, 1.0]]]), "folds back"),
        (holed(square(13.02, 52.0, 0.001)), "ring 1 lies outside ring 0, near [13.02, 52]"),
        (holed(square(13.005, 52.005, 0.1)), "ring 0 crosses or touches ring 1"),
        (holed(square(13.0, 52.0, 0.001)), "ring 0 and ring 1 touch at points 0 and 0"),
        (holed(square(13.0, 52.002, 0.001)), "ring 0 crosses or touches ring 1"),
        (holed(square(12.9, 51.9, 0.9)), "ring 1 lies outside ring 0"),
        (
            polygon(&[base.clone(), square(13.001, 52.001, 0.008), square(13.002, 52.002, 0.001)]),
            "ring 2 lies inside ring 1",
        ),
        (polygon(&[square(13.0, 52.0, 0.00001)]), "the area is"),
        (polygon(&[square(10.0, 50.0, 5.0)]), "km²; it must be at most 10000 km²"),
        (
            polygon(&[vec![[179.9, 1.0], [-179.9, 1.0], [-179.9, 1.1], [179.9, 1.1], [179.9, 1.0]]]),
            "ring 0 crosses the antimeridian after point 0",
        ),
    ] {
        let reason = reason(&value);
        assert!(reason.contains(part), "{reason:?} should say {part:?}");
    }
    for wrong in [json!(null), json!([]), json!("POLYGON((0 0, 1 0, 1 1))"), json!(7)] {
        assert_eq!(Boundary::from_geojson(&wrong).unwrap_err().code, "wrong_type");
    }
}

#[test]
fn a_fault_has_its_kind_and_its_place() {
    let bow = vec![[13.0, 52.0], [13.01, 52.01], [13.01, 52.0], [13.0, 52.01], [13.0, 52.0]];
    let open = vec![[13.0, 52.0], [13.01, 52.0], [13.01, 52.01], [13.0, 52.01], [13.0, 52.1]];
    let circle = json!({ "type": "Circle", "center": [13, 52], "radius_m": 1 });
    for (value, kind, near) in [
        (polygon(&[bow]), FaultKind::Crosses, Some((13.005, 52.005))),
        (polygon(&[open]), FaultKind::NotClosed, Some((13.0, 52.0))),
        (circle, FaultKind::TooSmall, None),
        (json!({ "type": "Circle", "center": [13, 95], "radius_m": 1 }), FaultKind::OffTheGlobe, None),
        (json!({}), FaultKind::Malformed, None),
        (json!(7), FaultKind::WrongType, None),
    ] {
        let fault = Boundary::read(&value).unwrap_err();
        assert_eq!((fault.kind, fault.near), (kind, near), "{value}");
    }
}

#[test]
fn the_whole_globe_is_not_taken_for_what_is_left_of_it() {
    let mut ring: Vec<[f64; 2]> = [-179.9999, -90.0, 0.0, 90.0, 179.9999].map(|lon| [lon, -89.9999]).to_vec();
    ring.extend([179.9999, 90.0, 0.0, -90.0, -179.9999].map(|lon| [lon, 89.9999]));
    ring.push(ring[0]);
    assert!(reason(&polygon(&[ring])).contains("km²; it must be at most"));
}

#[test]
fn circles_are_bounded_by_their_area() {
    let circle = |radius: Value| json!({ "type": "Circle", "center": [13.405, 52.52], "radius_m": radius });
    let boundary = read(&circle(json!(250.0005)));
    assert_eq!(boundary.to_stored(), r#"{"center":[13.405,52.52],"radius_m":250.001,"type":"Circle"}"#);
    assert_eq!(
        Boundary::from_stored(&boundary.to_stored(), boundary.area_m2()).unwrap().to_stored(),
        boundary.to_stored()
    );
    assert_eq!(boundary.area_m2(), 196_351);
    assert!(boundary.contains(at(13.405, 52.52)) && boundary.contains(at(13.405, 52.52224)));
    assert!(!boundary.contains(at(13.405, 52.5223)) && !boundary.contains(at(-13.405, -52.52)));
    let outline = boundary.outline();
    let ring = outline["coordinates"][0].as_array().unwrap();
    assert_eq!((ring.len(), &ring[0]), (65, &ring[64]));
    assert!(ring.iter().all(|corner| {
        let corner = at(corner[0].as_f64().unwrap(), corner[1].as_f64().unwrap());
        (rings::extent(&[corner])[0] >= boundary.extent()[0])
            && (rings::extent(&[corner])[3] <= boundary.extent()[3])
    }));
    // The outline of a circle is itself a valid polygon, a little smaller than the circle.
    let drawn = read(&outline);
    assert!(drawn.area_m2() < boundary.area_m2() && drawn.area_m2() > boundary.area_m2() * 99 / 100);
    for (value, part) in [
        (circle(json!(1.7)), "the area is 9.1 m²"),
        (circle(json!(56_420)), "the area is 10000 km²"),
        (circle(json!(1e300)), "the area is"),
        (circle(json!(0)), "radius_m must be"),
        (circle(json!(-5)), "radius_m must be"),
        (circle(json!("5")), "radius_m must be"),
        (json!({ "type": "Circle", "radius_m": 5 }), "center must be given"),
        (json!({ "type": "Circle", "center": [200, 0], "radius_m": 5 }), "center is not on the globe"),
        (json!({ "type": "Circle", "center": [179.9999, 0], "radius_m": 500 }), "antimeridian"),
        (json!({ "type": "Circle", "center": [0, 89.9999], "radius_m": 500 }), "pole"),
    ] {
        let reason = reason(&value);
        assert!(reason.contains(part), "{reason:?} should say {part:?}");
    }
    assert!(Boundary::from_geojson(&circle(json!(1.8))).is_ok());
    assert!(Boundary::from_geojson(&circle(json!(56_418))).is_ok());
}

#[test]
fn the_edge_is_inside_and_a_hole_is_not() {
    let boundary = read(&polygon(&[square(13.0, 52.0, 0.01), square(13.004, 52.004, 0.002)]));
    for (lon, lat, inside) in [
        (13.002, 52.002, true),
        (13.0, 52.0, true),
        (13.01, 52.01, true),
        (13.005, 52.0, true),
        (13.0, 52.003, true),
        (13.004, 52.005, true),
        (13.005, 52.005, false),
        (13.009999999, 52.004, true),
        (13.010000001, 52.004, false),
        (12.9, 52.0, false),
        (13.2, 52.0, false),
        (13.005, 51.999999999, false),
    ] {
        assert_eq!(boundary.contains(at(lon, lat)), inside, "{lon}, {lat}");
    }
}

#[test]
fn the_smallest_site_wins_and_then_the_lowest_id() {
    let at_second = domain::Timestamp::from_seconds;
    let dated = |size: f64, from: i64, to: Option<i64>| BoundaryTerm {
        from: at_second(from),
        to: to.map(at_second),
        boundary: read(&polygon(&[square(13.0, 52.0, size)])).into(),
    };
    let index = SiteIndex::new([
        (WorksiteId(9), dated(0.01, 10, None)),
        (WorksiteId(7), dated(0.01, 10, None)),
        (WorksiteId(8), dated(0.02, 10, Some(20))),
        (WorksiteId(8), dated(0.001, 20, None)),
    ]);
    let here = at(13.0005, 52.0005);
    assert_eq!(index.site_at(here, at_second(9)), None);
    assert_eq!(index.site_at(here, at_second(19)), Some(WorksiteId(7)));
    assert_eq!(index.site_at(here, at_second(20)), Some(WorksiteId(8)));
    assert_eq!(index.site_at(at(13.015, 52.015), at_second(19)), Some(WorksiteId(8)));
    assert_eq!(index.site_at(at(13.015, 52.015), at_second(20)), None);
    assert_eq!(index.sites_containing(here), [8, 7, 9].map(WorksiteId));
    assert_eq!(SiteIndex::new([]).sites_containing(here), []);
}

/// The polygons with ten thousand points are a star, teeth whose bounding boxes all overlap, and a spiral.
#[test]
fn ten_thousand_points_are_read_and_one_more_is_not() {
    let star = |count: u32| -> Vec<[f64; 2]> {
        let point = |n: u32| {
            let angle = f64::from(n % count) / f64::from(count) * std::f64::consts::TAU;
            let reach = if n.is_multiple_of(2) { 0.2 } else { 0.1 };
            [13.0 + reach * angle.cos(), 52.0 + reach * angle.sin()]
        };
        (0..=count).map(point).collect()
    };
    let boundary = read(&polygon(&[star(10_000)]));
    assert!(boundary.contains(at(13.0, 52.0)));
    assert!(reason(&polygon(&[star(10_002)])).contains("more than 10000 points"));

    let mut teeth: Vec<[f64; 2]> = Vec::new();
    for n in 0..4_999_u32 {
        let shift = f64::from(n) * 1e-5;
        teeth.extend([[13.0 + shift, 52.0], [13.3 + shift + 5e-6, 52.3]]);
    }
    // Back below the teeth.
    teeth.extend([[13.6, 51.9], [12.9, 51.9]]);
    teeth.push(teeth[0]);
    read(&polygon(&[teeth.clone()]));
    teeth[5_000][0] += 2.5e-5;
    assert!(reason(&polygon(&[teeth])).contains("ring 0 crosses"));

    let arm = |side: f64| {
        move |n: u32| {
            let angle = f64::from(n) / 50.0;
            let reach = 0.05 + angle * 0.001 + side;
            [13.0 + reach * angle.cos(), 52.0 + reach * angle.sin()]
        }
    };
    let mut spiral: Vec<[f64; 2]> = (0..5_000).map(arm(0.0)).collect();
    spiral.extend((0..5_000).rev().map(arm(0.001)));
    spiral.push(spiral[0]);
    read(&polygon(&[spiral]));
}

/// A reference check for valid polygons that compares every edge with every other.
fn is_polygon(rings: &[Vec<Position>]) -> bool {
    let edges: Vec<(usize, usize, Position, Position)> = rings
        .iter()
        .enumerate()
        .flat_map(|(r, ring)| (0..ring.len()).map(move |i| (r, i, ring[i], ring[(i + 1) % ring.len()])))
        .collect();
    let on = |a, b, c| orientation(a, b, c) == 0 && is_between(a, b, c);
    for (n, &(r, i, a, b)) in edges.iter().enumerate() {
        if a == b {
            return false;
        }
        for &(s, j, c, d) in &edges[..n] {
            let len = rings[r].len();
            let meets = if r == s && (j + 1) % len == i {
                on(c, d, b) || on(a, b, c)
            } else if r == s && (i + 1) % len == j {
                on(a, b, d) || on(c, d, a)
            } else {
                let crosses = orientation(a, b, c).signum() * orientation(a, b, d).signum() < 0
                    && orientation(c, d, a).signum() * orientation(c, d, b).signum() < 0;
                crosses || on(a, b, c) || on(a, b, d) || on(c, d, a) || on(c, d, b)
            };
            if meets {
                return false;
            }
        }
    }
    let inside = |hole: &Vec<Position>, ring: &Vec<Position>| rings::encloses(ring, hole[0]);
    rings[1..].iter().all(|hole| inside(hole, &rings[0]))
        && rings[1..]
            .iter()
            .enumerate()
            .all(|(n, hole)| rings[1..].iter().enumerate().all(|(m, other)| n == m || !inside(hole, other)))
}

fn ring(most: usize) -> impl Strategy<Value = Vec<Position>> {
    let point = (0..8_i64, 0..8_i64).prop_map(|(lon, lat)| Position { lon_e9: lon, lat_e9: lat });
    prop::collection::vec(point, 3..most)
}

/// Values that resemble a polygon.
fn junk() -> impl Strategy<Value = Value> {
    let number = prop_oneof![
        (-181.0..181.0_f64).prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        Just(json!(null)),
        Just(json!("1")),
        (0..4_i64).prop_map(Value::from),
    ];
    let point = prop::collection::vec(number, 0..4).prop_map(Value::from);
    let ring = prop::collection::vec(point, 0..7).prop_map(|mut points| {
        points.extend(points.first().cloned());
        Value::from(points)
    });
    let rings = prop::collection::vec(ring, 0..3);
    rings.prop_map(|rings| json!({ "type": "Polygon", "coordinates": rings }))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn the_sweep_agrees_with_comparing_everything(rings in prop::collection::vec(ring(9), 1..4)) {
        prop_assert_eq!(rings::check(&rings).is_ok(), is_polygon(&rings));
    }

    #[test]
    fn where_a_ring_begins_and_which_way_it_runs_does_not_matter(mut ring in ring(7), turn in 0..7_usize) {
        let before = rings::check(std::slice::from_ref(&ring)).is_ok();
        let len = ring.len();
        ring.rotate_left(turn % len);
        prop_assert_eq!(rings::check(std::slice::from_ref(&ring)).is_ok(), before);
        ring.reverse();
        prop_assert_eq!(rings::check(std::slice::from_ref(&ring)).is_ok(), before);
    }

    #[test]
    fn nothing_makes_it_panic(value in junk()) {
        if let Ok(boundary) = Boundary::from_geojson(&value) {
            prop_assert!(is_polygon(boundary.rings()));
            prop_assert_eq!(read(&boundary.to_geojson()).to_stored(), boundary.to_stored());
        }
    }

    #[test]
    fn stars_are_always_polygons(reaches in prop::collection::vec(0.01..0.3_f64, 3..60), lon in -179.0..179.0_f64, lat in -80.0..80.0_f64) {
        let count = reaches.len() as f64;
        let mut ring: Vec<[f64; 2]> = reaches
            .iter()
            .enumerate()
            .map(|(n, reach)| {
                let angle = n as f64 / count * std::f64::consts::TAU;
                [lon + reach * angle.cos(), lat + reach * angle.sin()]
            })
            .collect();
        ring.push(ring[0]);
        let boundary = read(&polygon(&[ring.clone()]));
        prop_assert!(boundary.contains(at(lon, lat)));
        for [lon, lat] in ring {
            prop_assert!(boundary.contains(at(lon, lat)));
        }
    }
}
