//! From what the user knows of a window to its filter.
#![forbid(unsafe_code)]

use super::clock::Steps;
use super::filter::{Spec, WindowFilter};
use super::plan;
use crate::error::{BuildError, Counted, Value};
use crate::hash::{HashKind, ItemHasher};
use alloc::format;
use core::time::Duration;

/// Builds a [`WindowFilter`] from the items and the false-positive rate; with a duration the window is that time.
///
/// ```
/// use core::time::Duration;
/// use cuculus::{Window, WindowFilter};
///
/// let lately = WindowFilter::builder().items(6_000).steps(30).false_positive_rate(0.01).build()?;
/// assert_eq!((lately.window(), lately.step()), (Window::Items(6_000), Window::Items(200)));
///
/// let minute = Duration::from_secs(60);
/// let of_time = WindowFilter::builder().duration(minute).items(6_000).false_positive_rate(0.01).build()?;
/// assert_eq!((of_time.window(), of_time.step()), (Window::Time(minute), Window::Time(minute / 12)));
/// # Ok::<(), cuculus::BuildError>(())
/// ```
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct WindowBuilder {
    items: Option<u64>,
    duration: Option<Duration>,
    steps: Option<u32>,
    rate: Option<f64>,
    hash: HashKind,
}

/// The most items of a window.
const MAX_ITEMS: u64 = 1 << 48;

/// The longest window of time: a hundred years, of which nanoseconds can be counted.
const MAX_SECONDS: u64 = 100 * 366 * 24 * 3600;

/// Steps of a window when nothing is said. Memory is least from 6 to 14 steps, within a fiftieth.
const STEPS: u32 = 12;

impl WindowBuilder {
    /// The window: so many items, 1 to 2^48, equal ones counted each time. With a [`duration`](Self::duration) instead how
    /// many different items are seen in that time at most.
    pub fn items(mut self, items: u64) -> Self {
        self.items = Some(items);
        self
    }

    /// The window: so much time, from one nanosecond for each step to 100 years.
    pub fn duration(mut self, duration: Duration) -> Self {
        self.duration = Some(duration);
        self
    }

    /// How many steps the window is cut into, 1 to 60 and at most the items; 12 (or the items) if not said. Items stay for up
    /// to one step longer than the window. Few steps cost room for what stays longer, many cost bits: one more from 6,
    /// 14 and 30 steps up.
    pub fn steps(mut self, steps: u32) -> Self {
        self.steps = Some(steps);
        self
    }

    /// The highest false-positive rate allowed, at every moment, as a fraction: 0.01 is one absent key in a hundred. More
    /// than 0, less than 1; below about 4e-8 (with 12 steps) no slot is wide enough.
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

    /// Allocates the filter.
    ///
    /// # Errors
    /// [`BuildError`] names what is missing or out of range; [`BuildError::Allocation`] if the system has not got the
    /// memory.
    pub fn build(&self) -> Result<WindowFilter, BuildError> {
        self.plan().and_then(WindowFilter::from_spec)
    }

    fn plan(&self) -> Result<Spec, BuildError> {
        let (Some(items), Some(rate)) = (self.items, self.rate) else { return Err(BuildError::Underspecified) };
        let range = |good: bool, parameter, value: Value, allowed| match good {
            true => Ok(()),
            false => Err(BuildError::OutOfRange { parameter, value, allowed }),
        };
        range((1..=MAX_ITEMS).contains(&items), "items", items.into(), "1 to 2^48 in a window")?;
        range(rate > 0.0 && rate < 1.0, "false_positive_rate", rate.into(), "more than 0 and less than 1")?;
        // A window has as many ticks as items, or nanoseconds.
        let (ticks, allowed) = match self.duration {
            None => (items, "1 to 60, and at most the items of the window"),
            Some(time) => {
                let good = !time.is_zero() && time <= Duration::from_secs(MAX_SECONDS);
                range(good, "duration, in seconds", time.as_secs_f64().into(), "more than 0, and at most 100 years")?;
                (time.as_nanos() as u64, "1 to 60, and at most the nanoseconds of the window")
            }
        };
        let most = ticks.min(Steps::MOST.into());
        let steps = self.steps.map_or(most.min(STEPS.into()), u64::from);
        range((1..=most).contains(&steps), "steps", steps.into(), allowed)?;
        // Whole ticks a step may leave fewer steps than asked for, which are the same window.
        let ticks_of_step = ticks.div_ceil(steps);
        let cut = Steps::new(self.duration.is_some(), ticks.div_ceil(ticks_of_step) as u32, ticks_of_step);
        let capacity = match cut.timed {
            true => items + items.div_ceil(cut.steps.into()),
            false => cut.window() + cut.ticks,
        };
        let fingerprints = plan::lines(capacity, rate, &cut).ok_or_else(|| BuildError::NoGeometry {
            reason: format!(
                "no window of {} in {} steps has a false-positive rate of {rate:?}",
                Counted(items, "item"),
                cut.steps
            ),
        })?;
        Ok(Spec { fingerprints, cut, hasher: ItemHasher::new(self.hash), capacity, promised_rate: rate })
    }
}
