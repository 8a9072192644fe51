//! What `dedup --window` remembers: keys of the last so many, or of the last so much time, by a clock that is given.

use crate::exit::Failure;
use crate::output::{count, counted};
use crate::sizes::Span;
use cuculus::{HashKind, WindowFilter};
use std::time::Duration;

/// A window over a stream of hashes.
pub(crate) struct Recent<C> {
    filter: WindowFilter,
    span: Span,
    items: u64,
    /// The time since some moment.
    clock: C,
    /// Working memory.
    new: Vec<bool>,
}

impl<C: FnMut() -> Duration> Recent<C> {
    /// `items` are the different keys that are expected in a window of time.
    pub(crate) fn new(
        span: Span,
        steps: Option<u32>,
        items: u64,
        rate: f64,
        hash: HashKind,
        clock: C,
    ) -> Result<Self, Failure> {
        let builder = WindowFilter::builder().false_positive_rate(rate).hash(hash);
        let builder = match span {
            Span::Keys(keys) => builder.items(keys),
            Span::Time(time) => builder.duration(time).items(items),
        };
        let filter = steps.map_or(builder.clone(), |steps| builder.steps(steps)).build()?;
        Ok(Recent { filter, span, items, clock, new: Vec::new() })
    }

    /// Sees hashes, all now; adds the positions of those that are new to `new`, also those before one that is refused.
    pub(crate) fn insert(&mut self, hashes: &[u64], new: &mut Vec<usize>) -> Result<(), Failure> {
        self.filter.advance((self.clock)());
        self.new.clear();
        self.new.resize(hashes.len(), false);
        let outcome = self.filter.insert_many_hash_into(hashes, &mut self.new);
        new.extend(self.new.iter().enumerate().filter(|&(_, &new)| new).map(|(position, _)| position));
        outcome.map_err(|_| self.full())
    }

    fn full(&self) -> Failure {
        let Span::Time(time) = self.span else {
            return Failure::Usage("no room found for a key: try another --seed".to_owned());
        };
        Failure::Usage(format!(
            "more than {} came within {time:?}: give larger --items ({} now, with room for {})",
            counted(self.items, "different key"),
            count(self.items),
            count(self.filter.capacity()),
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    fn hash(i: u64) -> u64 {
        (i + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(31).wrapping_mul(0xD6E8_FEB8_6659_FD93)
    }

    fn news<C: FnMut() -> Duration>(recent: &mut Recent<C>, keys: &[u64]) -> Vec<u64> {
        let hashes: Vec<u64> = keys.iter().map(|&key| hash(key)).collect();
        let mut new = Vec::new();
        recent.insert(&hashes, &mut new).unwrap();
        new.into_iter().map(|position| keys[position]).collect()
    }

    /// A clock that the test turns, back too.
    #[test]
    fn by_time() {
        let now = Cell::new(Duration::ZERO);
        let span = Span::Time(Duration::from_secs(600));
        let mut recent = Recent::new(span, None, 100, 1e-6, HashKind::default(), || now.get()).unwrap();
        let mut at = |second: u64, keys: &[u64]| {
            now.set(Duration::from_secs(second));
            news(&mut recent, keys)
        };
        assert_eq!(at(0, &[1, 2, 1]), [1, 2]);
        assert_eq!(at(600, &[1]), [0; 0]);
        assert_eq!(at(649, &[2]), [0; 0]);
        assert_eq!(at(400, &[1, 2]), [0; 0]);
        assert_eq!(at(1_199, &[1]), [0; 0]);
        assert_eq!(at(1_300, &[2]), [2]);
        assert_eq!(at(1_000_000, &[1, 2, 2]), [1, 2]);
    }

    #[test]
    fn by_keys() {
        let mut recent = Recent::new(Span::Keys(3), None, 0, 1e-6, HashKind::default(), || Duration::ZERO).unwrap();
        assert_eq!(news(&mut recent, &[1, 2, 3, 1, 2, 3]), [1, 2, 3]);
        assert_eq!(news(&mut recent, &[4, 5, 6, 7]), [4, 5, 6, 7]);
        assert_eq!(news(&mut recent, &[1, 7, 4]), [1, 4]);
    }

    /// More than there is room for: what came before is told, then the error, and old keys are still known.
    #[test]
    fn full() {
        let span = Span::Time(Duration::from_secs(1));
        let mut recent = Recent::new(span, Some(10), 50, 1e-6, HashKind::default(), || Duration::ZERO).unwrap();
        let hashes: Vec<u64> = (0..60).map(hash).collect();
        let mut new = Vec::new();
        let error = recent.insert(&hashes, &mut new).unwrap_err().to_string();
        assert_eq!(new, (0..55).collect::<Vec<_>>());
        assert!(error.contains("more than 50 different keys came within 1s: give larger --items"), "{error}");
        assert_eq!(news(&mut recent, &[3, 54]), [0; 0]);
    }
}
