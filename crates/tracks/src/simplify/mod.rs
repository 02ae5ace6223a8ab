//! Simplification of tracks (Douglas-Peucker) on the sphere.

use domain::Fix;

/// The largest radius of curvature of the WGS 84 ellipsoid, in metres: that at its poles. Distances on a sphere of this radius
/// are never less than on the ground, and at most one percent more.
const RADIUS_M: f64 = 6_399_593.7;

/// How often a stretch is split at its farthest fix. After that it is halved, so that the running time is bounded by n log n.
const MAX_SPLITS: u32 = 48;

/// Simplifies a track. Keeps the order, the first and the last fix, and enough between them that no dropped fix is farther than
/// the tolerance from the great circle between its kept neighbours. A tolerance that is 0, negative or NaN keeps all fixes.
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

/// A unit vector from the centre of the sphere, or a difference of two. It has no special cases at the antimeridian and the
/// poles.
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

    /// Returns the angle to another direction, computed from the chord, which is exact for close directions too.
    fn angle(self, other: Self) -> f64 {
        2.0 * (self.minus(other).length() / 2.0).min(1.0).asin()
    }
}

/// The shorter arc of the great circle between two points.
struct Segment {
    from: Vector,
    to: Vector,
    circle: Option<GreatCircle>,
}

/// The circle that a segment lies on.
struct GreatCircle {
    /// Perpendicular to the plane of the circle.
    normal: Vector,
    /// Along the circle, from the first point.
    start_tangent: Vector,
    /// Along the circle, back from the second point.
    end_tangent: Vector,
}

impl Segment {
    fn new(from: Vector, to: Vector) -> Self {
        // Computed from the difference, which is more precise if the two are close.
        let normal = from.cross(to.minus(from));
        let length = normal.length();
        // Identical points define no circle and opposite ones infinitely many. Beyond a quarter of the globe only the ends
        // count, which are never closer than the segment.
        let circle = (length > 0.0 && from.dot(to) > 0.0).then(|| {
            let normal = Vector(normal.0.map(|part| part / length));
            GreatCircle { normal, start_tangent: normal.cross(from), end_tangent: to.cross(normal) }
        });
        Self { from, to, circle }
    }

    /// Returns the angle between a point and the nearest point of the segment.
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
