//! From what the user knows of a growing set to its shape.

use super::filter::{GrowingFilter, Spec};
use super::rate;
use super::shape::Parameters;
use crate::error::BuildError;
use crate::hash::{HashKind, ItemHasher};
use alloc::format;

/// Builds a [`GrowingFilter`].
///
/// ```
/// use cuculus::GrowingFilter;
///
/// // Begins with room for a thousand items and ends, at most, as little more than a fixed filter of a million.
/// let mut filter =
///     GrowingFilter::builder().start_items(1_000).maximum_items(1_000_000).false_positive_rate(0.01).build()?;
/// filter.insert("cuckoo")?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct GrowingBuilder {
    start: Option<u64>,
    maximum: Option<u64>,
    rate: Option<f64>,
    hash: HashKind,
}

/// The most items a filter is built for.
const MAX_ITEMS: u64 = 1 << 48;

/// Lines of a filter of which no start is given: 2 KiB.
const FIRST_LINES: u64 = 32;

impl GrowingBuilder {
    /// How many items there will be soon: the filter begins with room for them, and never shrinks below that. Without
    /// it, it begins with 2 KiB.
    pub fn start_items(mut self, items: u64) -> Self {
        self.start = Some(items);
        self
    }

    /// The most items that there will ever be; one more is refused. Without it there is no end, which costs about half
    /// as much memory again.
    pub fn maximum_items(mut self, items: u64) -> Self {
        self.maximum = Some(items);
        self
    }

    /// The highest false-positive rate allowed, at every size, as a fraction: 0.01 is one absent key in a hundred. Slots
    /// have eight bits or more, so rates above 0.014 cost as much as that one.
    pub fn false_positive_rate(mut self, rate: f64) -> Self {
        self.rate = Some(rate);
        self
    }

    /// The seed of the default hash, XXH3-64; 0 if not said. Not a secret: see [`secret_key`](Self::secret_key).
    pub fn seed(mut self, seed: u64) -> Self {
        self.hash = HashKind::Xxh3 { seed };
        self
    }

    /// Hashes with SipHash-1-3 under a secret key, for keys that outsiders choose.
    pub fn secret_key(mut self, key: [u8; 16]) -> Self {
        self.hash = HashKind::SipHash13 { key };
        self
    }

    /// The hash function.
    pub fn hash(mut self, hash: HashKind) -> Self {
        self.hash = hash;
        self
    }

    /// Allocates the filter at the size that it begins with.
    ///
    /// # Errors
    /// [`BuildError`] names what is missing or out of range; [`BuildError::Allocation`] if the system has not got the
    /// memory.
    pub fn build(&self) -> Result<GrowingFilter, BuildError> {
        self.plan().and_then(GrowingFilter::from_spec)
    }

    fn plan(&self) -> Result<Spec, BuildError> {
        let most = |parameter, value: Option<u64>, most: u64, allowed| match value.filter(|&value| value > most) {
            Some(value) => Err(BuildError::OutOfRange { parameter, value: value.into(), allowed }),
            None => Ok(()),
        };
        let rate = self.rate.ok_or(BuildError::Underspecified)?;
        if !(rate > 0.0 && rate < 1.0) {
            let allowed = "more than 0 and less than 1";
            return Err(BuildError::OutOfRange { parameter: "false_positive_rate", value: rate.into(), allowed });
        }
        most("maximum_items", self.maximum, MAX_ITEMS, "at most 2^48")?;
        most("start_items", self.start, self.maximum.unwrap_or(MAX_ITEMS), "at most maximum_items and 2^48")?;
        let impossible =
            || BuildError::NoGeometry { reason: format!("no growing filter reaches a false-positive rate of {rate}") };
        let first = |of: &Parameters| {
            self.start.map_or(FIRST_LINES, |items| rate::lines_for(items, of.slots, of.full.into())).max(2)
        };
        let (parameters, first_lines) = match self.maximum {
            Some(items) => {
                let parameters = rate::declared(items, rate).ok_or_else(impossible)?;
                let least = 2 * u64::from(parameters.rows);
                (parameters, first(&parameters).clamp(least, least << parameters.planned))
            }
            None => {
                // How many lines there are at first depends on the slots of one, which do not depend on the lines.
                let shape = rate::open(1, rate).ok_or_else(impossible)?;
                let first_lines = first(&shape);
                (rate::open(first_lines, rate).ok_or_else(impossible)?, first_lines)
            }
        };
        let (hasher, maximum) = (ItemHasher::new(self.hash), self.maximum.unwrap_or(0));
        Ok(Spec { parameters, hasher, maximum, promised_rate: rate, first_lines })
    }
}
