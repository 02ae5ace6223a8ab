//! Tracks with fewer fixes.

use domain::Fix;

/// No place of the WGS 84 ellipsoid is curved less than a sphere of this radius, in metres: that of its poles. What is
/// measured on such a sphere is never less than on the ground, and at most one percent more.
const RADIUS_M: f64 = 6_399_593.7;

/// How often a stretch is split where it is farthest off. From then on it is halved, so that no track takes more than n log n.
const MAX_SPLITS: u32 = 48;

/// A track with fewer fixes, in the same order: the first, the last, and so many between that no dropped one is farther than
/// the tolerance from the great circle between the two that stay around it. A tolerance of 0 or less, or not a number, keeps all.
pub fn simplify(fixes: &[Fix], tolerance_m: f64) -> Vec<Fix> {
    if tolerance_m.is_nan() || tolerance_m <= 0.0 || fixes.len() < 3 {
        return fixes.to_vec();
    }
    let points: Vec<Vector> = fixes.iter().map(Vector::of).collect();
    let mut keeps = vec![false; fixes.len()];
    let last = fixes.len() - 1;
    (keeps[0], keeps[last]) = (true, true);
    let mut stretches = vec![(0, last, 0)];
    while let Some((from, to, splits)) = stretches.pop() {
        let segment = Segment::new(points[from], points[to]);
        let mut farthest = (from, tolerance_m / RADIUS_M);
        for (index, point) in points.iter().enumerate().take(to).skip(from + 1) {
            let distance = segment.distance(*point);
            if distance > farthest.1 {
                farthest = (index, distance);
            }
        }
        if farthest.0 > from {
            let middle = if splits < MAX_SPLITS { farthest.0 } else { from.midpoint(to) };
            keeps[middle] = true;
            stretches.extend([(from, middle, splits + 1), (middle, to, splits + 1)]);
        }
    }
    fixes.iter().zip(keeps).filter(|(_, keep)| *keep).map(|(fix, _)| *fix).collect()
}

/// A direction from the centre of the sphere, of length 1, or a difference of such. Knows no antimeridian and no poles.
#[derive(Clone, Copy)]
struct Vector([f64; 3]);

impl Vector {
    fn of(fix: &Fix) -> Self {
        let (lat_sin, lat_cos) = (f64::from(fix.lat_e6) / 1e6).to_radians().sin_cos();
        let (lon_sin, lon_cos) = (f64::from(fix.lon_e6) / 1e6).to_radians().sin_cos();
        Self([lat_cos * lon_cos, lat_cos * lon_sin, lat_sin])
    }

    fn minus(self, other: Self) -> Self {
        let ([a, b, c], [x, y, z]) = (self.0, other.0);
        Self([a - x, b - y, c - z])
    }

    fn dot(self, other: Self) -> f64 {
        let ([a, b, c], [x, y, z]) = (self.0, other.0);
        a * x + b * y + c * z
    }

    fn cross(self, other: Self) -> Self {
        let ([a, b, c], [x, y, z]) = (self.0, other.0);
        Self([b * z - c * y, c * x - a * z, a * y - b * x])
    }

    fn length(self) -> f64 {
        self.dot(self).sqrt()
    }

    /// The angle to another direction, from the straight line between them, which is exact also for the nearest.
    fn angle(self, other: Self) -> f64 {
        2.0 * (self.minus(other).length() / 2.0).min(1.0).asin()
    }
}

/// The shorter part of the great circle between two points.
struct Segment {
    from: Vector,
    to: Vector,
    circle: Option<GreatCircle>,
}

/// Where a segment runs.
struct GreatCircle {
    /// Square to the plane of the circle.
    normal: Vector,
    /// From the first point along the circle.
    start_tangent: Vector,
    /// From the second point back along the circle.
    end_tangent: Vector,
}

impl Segment {
    fn new(from: Vector, to: Vector) -> Self {
        // From the difference, which is more exact than the two when they are near.
        let normal = from.cross(to.minus(from));
        let length = normal.length();
        // One place has no circle, and opposite ones have many: over more than a quarter of the globe the ends alone count,
        // which are never nearer than the segment.
        let circle = (length > 0.0 && from.dot(to) > 0.0).then(|| {
            let normal = Vector(normal.0.map(|part| part / length));
            GreatCircle { normal, start_tangent: normal.cross(from), end_tangent: to.cross(normal) }
        });
        Self { from, to, circle }
    }

    /// The angle between a point and the nearest one of the segment.
    fn distance(&self, point: Vector) -> f64 {
        let offset = point.minus(self.from);
        match &self.circle {
            Some(circle)
                if circle.start_tangent.dot(offset) > 0.0
                    && circle.end_tangent.dot(point.minus(self.to)) > 0.0 =>
            {
                circle.normal.dot(offset).abs().min(1.0).asin()
            }
            _ => point.angle(self.from).min(point.angle(self.to)),
        }
    }
}

#[cfg(test)]
mod tests;
