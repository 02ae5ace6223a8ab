//! Measures the encoded size of an hour of a machine's track.

use std::f64::consts::TAU;

use domain::Fix;

use crate::{by_quarter_hour, encode};

/// A reproducible pseudo-random generator.
struct Dice(u64);

impl Dice {
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.uniform()).ln()).sqrt();
        radius * (TAU * self.uniform()).cos()
    }
}

/// An hour at 1 Hz on a site of 400 m by 300 m: the machine drives from place to place, brakes, turns, and stands for a while.
/// Each position has an independent error of 1.5 m to the north and to the east.
fn hour(seed: u64) -> Vec<Fix> {
    let mut dice = Dice(seed);
    let (mut east, mut north, mut course, mut speed) = (200.0_f64, 150.0_f64, 0.3_f64, 0.0_f64);
    let mut goal = (350.0, 40.0);
    let (mut top_speed, mut standing, mut accuracy, mut shown) = (5.0, 30, 3.0_f64, 0.0);
    let second = |second: i64| {
        let (ahead_east, ahead_north) = (goal.0 - east, goal.1 - north);
        let away = ahead_east.hypot(ahead_north);
        if standing > 0 {
            standing -= 1;
            speed = 0.0;
        } else if away < 4.0 {
            standing = 20 + (dice.uniform() * 160.0) as i32;
            goal = (dice.uniform() * 400.0, dice.uniform() * 300.0);
            top_speed = 2.0 + dice.uniform() * 6.0;
        } else {
            let off = (ahead_east.atan2(ahead_north) - course + TAU * 1.5).rem_euclid(TAU) - TAU / 2.0;
            course += off.clamp(-0.25, 0.25);
            // Slow in a turn and before the destination.
            let wanted = if off.abs() > 0.5 { 1.5 } else { top_speed.min(0.5 + away / 5.0) };
            speed += (wanted - speed).clamp(-1.5, 0.8);
        }
        east += speed * course.sin();
        north += speed * course.cos();
        accuracy = (accuracy + dice.normal() * 0.1).clamp(1.5, 6.0);
        let seen_speed = (speed + dice.normal() * 0.1).max(0.0);
        if speed > 0.5 {
            shown = (course.to_degrees() + dice.normal() * 2.0).rem_euclid(360.0);
        }
        let metres_a_degree = 111_320.0;
        let lat = 52.37 + (north + dice.normal() * 1.5) / metres_a_degree;
        let lon = 9.73 + (east + dice.normal() * 1.5) / (metres_a_degree * 52.37_f64.to_radians().cos());
        Fix {
            at_ms: 1_774_000_800_000 + second * 1_000,
            lat_e6: (lat * 1e6).round() as i32,
            lon_e6: (lon * 1e6).round() as i32,
            speed_half_kmh: Some((seen_speed * 3.6 / 0.5).round() as u16),
            heading_5deg: Some(((shown / 5.0).round() as u8) % 72),
            accuracy_m: Some(accuracy.round() as u16),
        }
    };
    (0..3_600).map(second).collect()
}

/// The deltas of each column, one column after the other.
fn deltas(fixes: &[Fix]) -> Vec<i32> {
    let start = fixes[0].at_ms;
    let columns: [fn(&Fix, i64) -> i32; 6] = [
        |fix, start| (fix.at_ms - start) as i32,
        |fix, _| fix.lat_e6,
        |fix, _| fix.lon_e6,
        |fix, _| fix.speed_half_kmh.unwrap().into(),
        |fix, _| fix.heading_5deg.unwrap().into(),
        |fix, _| fix.accuracy_m.unwrap().into(),
    ];
    let delta = |column: fn(&Fix, i64) -> i32| {
        let before = std::iter::once(0).chain(fixes.iter().map(move |fix| column(fix, start)));
        fixes.iter().zip(before).map(move |(fix, before)| column(fix, start) - before)
    };
    columns.into_iter().flat_map(delta).collect()
}

fn varint(delta: i32) -> Vec<u8> {
    let mut number = ((delta << 1) ^ (delta >> 31)) as u32;
    let mut bytes = Vec::new();
    while number > 0x7f {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
    bytes
}

#[test]
fn an_hour_in_chunks_takes_less_than_its_deltas_in_zstd() {
    for seed in 1..=3 {
        let fixes = hour(seed);
        let chunks: Vec<_> = by_quarter_hour(&fixes).map(|(_, fixes)| encode(fixes).unwrap()).collect();
        assert_eq!(chunks.len(), 4);
        let size: usize = chunks.iter().map(Vec::len).sum();

        let deltas = deltas(&fixes);
        let zstd = |bytes: Vec<u8>| zstd::bulk::compress(&bytes, 19).unwrap().len();
        let fixed = zstd(deltas.iter().flat_map(|delta| delta.to_le_bytes()).collect());
        let varints = zstd(deltas.iter().flat_map(|delta| varint(*delta)).collect());
        let a_fix = |size: usize| size as f64 / fixes.len() as f64;
        let sizes = format!(
            "seed {seed}: chunks {size} bytes ({:.3} a fix), zstd of i32 {fixed} ({:.3}), of varints {varints} ({:.3})",
            a_fix(size),
            a_fix(fixed),
            a_fix(varints)
        );
        println!("{sizes}");
        assert!(size < fixed.min(varints), "{sizes}");
    }
}
