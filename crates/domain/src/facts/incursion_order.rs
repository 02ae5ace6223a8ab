//! The orders of a list of incursions.

use crate::{Direction, Invalid};

/// A sort key of incursions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IncursionSort {
    StartedAt,
    /// Without an end, an incursion is shorter than all others.
    Duration,
    /// The time from the start to the acknowledgement. Without an acknowledgement it is shorter than all others.
    AckTime,
}

impl IncursionSort {
    pub const ALL: [Self; 3] = [Self::StartedAt, Self::Duration, Self::AckTime];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::StartedAt => "started_at",
            Self::Duration => "duration_ms",
            Self::AckTime => "ack_ms",
        }
    }
}

/// The order of a list: by one key or several, each in its own direction. Incursions with equal keys are sorted by id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IncursionOrder {
    first: (IncursionSort, Direction),
    others: [Option<(IncursionSort, Direction)>; IncursionSort::ALL.len() - 1],
}

impl IncursionOrder {
    pub const NEWEST_FIRST: Self = Self::by(IncursionSort::StartedAt, Direction::Descending);

    pub const fn by(key: IncursionSort, direction: Direction) -> Self {
        Self { first: (key, direction), others: [None; IncursionSort::ALL.len() - 1] }
    }

    /// Parses the name of a key, with a leading minus for the descending order.
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let (name, direction) = match text.strip_prefix('-') {
            Some(name) => (name, Direction::Descending),
            None => (text, Direction::Ascending),
        };
        let found = IncursionSort::ALL.into_iter().find(|by| by.as_str() == name);
        found.map(|key| Self::by(key, direction)).ok_or_else(|| {
            let text =
                "must be started_at, duration_ms or ack_ms, with a leading minus for the descending order";
            Invalid::new("invalid_sort", text)
        })
    }

    /// Parses the names of several keys, separated by commas, each with or without a leading minus.
    pub fn parse_list(text: &str) -> Result<Self, Invalid> {
        let mut parts = text.split(',');
        let mut order = Self::parse(parts.next().unwrap_or_default())?;
        for part in parts {
            let Self { first: key, .. } = Self::parse(part)?;
            let is_repeated = order.keys().any(|(used, _)| used == key.0);
            let place = order.others.iter_mut().find(|place| place.is_none());
            match place.filter(|_| !is_repeated) {
                Some(place) => *place = Some(key),
                None => {
                    let text = format!("{:?} can be given only once", key.0.as_str());
                    return Err(Invalid::new("invalid_sort", text));
                }
            }
        }
        Ok(order)
    }

    pub fn keys(&self) -> impl Iterator<Item = (IncursionSort, Direction)> + '_ {
        std::iter::once(self.first).chain(self.others.iter().flatten().copied())
    }

    /// Returns the direction if the list is sorted by the start alone, which is the order of an index.
    pub fn of_start(&self) -> Option<Direction> {
        let (key, direction) = self.first;
        let is_only = self.others.iter().all(Option::is_none);
        (key == IncursionSort::StartedAt && is_only).then_some(direction)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_sorted_by_each_key_once() {
        let order = IncursionOrder::parse_list("-duration_ms,started_at,-ack_ms").unwrap();
        let keys: Vec<_> = order.keys().collect();
        assert_eq!(
            keys,
            [
                (IncursionSort::Duration, Direction::Descending),
                (IncursionSort::StartedAt, Direction::Ascending),
                (IncursionSort::AckTime, Direction::Descending),
            ]
        );
        for text in ["", ",", "ack_ms,", ",ack_ms", "ack_ms,-ack_ms", "started_at,zone", "--ack_ms"] {
            assert_eq!(IncursionOrder::parse_list(text).unwrap_err().code, "invalid_sort", "{text}");
        }
        let four = "started_at,duration_ms,ack_ms,started_at";
        assert!(IncursionOrder::parse_list(four).is_err());
    }

    #[test]
    fn only_the_start_alone_is_the_order_of_an_index() {
        let of_start = |text| IncursionOrder::parse_list(text).unwrap().of_start();
        assert_eq!(of_start("-started_at"), Some(Direction::Descending));
        assert_eq!((of_start("started_at,ack_ms"), of_start("ack_ms")), (None, None));
        assert_eq!(IncursionOrder::parse_list("-started_at"), Ok(IncursionOrder::NEWEST_FIRST));
    }
}
