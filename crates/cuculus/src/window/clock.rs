//! Steps and stamps: when each stamp was given, and which are alive.
#![forbid(unsafe_code)]

use alloc::vec;
use alloc::vec::Vec;
use core::time::Duration;

/// How long a window is, or a step of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Window {
    /// So many items, equal ones counted each time.
    Items(u64),
    /// So much time.
    Time(Duration),
}

/// How a window is cut into steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Steps {
    /// Whether ticks are nanoseconds, or items.
    pub(crate) timed: bool,
    /// Steps of a window.
    pub(crate) steps: u32,
    /// Ticks of a step.
    pub(crate) ticks: u64,
    /// Bits of a stamp.
    pub(crate) stamp_bits: u32,
}

impl Steps {
    /// The most steps: with them `MOST_STEPS + 1` stamps are alive at once, and three are spare.
    pub(crate) const MOST: u32 = 60;

    /// The fewest spare stamps.
    const LEAST_SPARE: u32 = 2;

    pub(crate) fn new(timed: bool, steps: u32, ticks: u64) -> Self {
        let stamps = (steps + 1 + Self::LEAST_SPARE).next_power_of_two();
        Steps { timed, steps, ticks, stamp_bits: stamps.trailing_zeros() }
    }

    /// Fails, naming what is out of range.
    pub(crate) fn validate(&self) -> Result<(), (&'static str, u64, &'static str)> {
        if !(1..=Self::MOST).contains(&self.steps) {
            return Err(("steps", self.steps.into(), "1 to 60"));
        }
        if self.ticks == 0 || self.ticks > u64::MAX / (u64::from(Self::MOST) + 1) {
            return Err(("ticks of a step", self.ticks, "1 to 2^64 / 61"));
        }
        if self.stamp_bits != Self::new(self.timed, self.steps, self.ticks).stamp_bits {
            return Err(("stamp bits", self.stamp_bits.into(), "as many as the steps need"));
        }
        Ok(())
    }

    pub(crate) fn stamps(&self) -> u64 {
        1 << self.stamp_bits
    }

    /// How many openings there are from a stamp's death at the latest to its next life.
    pub(crate) fn spare(&self) -> u64 {
        self.stamps() - u64::from(self.steps) - 1
    }

    pub(crate) fn span(&self, ticks: u64) -> Window {
        match self.timed {
            true => Window::Time(Duration::from_nanos(ticks)),
            false => Window::Items(ticks),
        }
    }

    /// Ticks of the whole window.
    pub(crate) fn window(&self) -> u64 {
        u64::from(self.steps) * self.ticks
    }
}

/// The life of a stamp.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Epoch {
    /// The step that it belongs to.
    pub(crate) step: u64,
    /// Items that have it, while it is alive.
    pub(crate) items: u64,
}

/// Which time it is, and which stamps there are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Clock {
    pub(crate) cut: Steps,
    /// Ticks: items seen, or the time that was told.
    pub(crate) now: u64,
    /// The first tick of the next step.
    step_ends: u64,
    /// Stamps opened so far: the next one is this number, modulo the stamps.
    pub(crate) opened: u64,
    pub(crate) epochs: Vec<Epoch>,
    /// Items with a stamp that is alive.
    items: u64,
    alive: u64,
}

impl Clock {
    pub(crate) fn new(cut: Steps) -> Self {
        Self::from_parts(cut, 0, 0, vec![Epoch::default(); cut.stamps() as usize])
    }

    pub(crate) fn from_parts(cut: Steps, now: u64, opened: u64, epochs: Vec<Epoch>) -> Self {
        let mut clock = Clock { cut, now, step_ends: 0, opened, epochs, items: 0, alive: 0 };
        clock.begin_step();
        clock
    }

    pub(crate) fn step(&self) -> u64 {
        self.now / self.cut.ticks
    }

    /// Bit `s` says whether stamp `s` is alive.
    pub(crate) fn alive(&self) -> u64 {
        self.alive
    }

    /// Items alive.
    pub(crate) fn items(&self) -> u64 {
        self.items
    }

    /// The numbers of the stamps that there are, the newest first.
    pub(crate) fn numbers(&self) -> impl Iterator<Item = u64> + use<> {
        let first = self.opened.saturating_sub(self.cut.stamps());
        (first..self.opened).rev()
    }

    pub(crate) fn stamp_of(&self, number: u64) -> u32 {
        (number % self.cut.stamps()) as u32
    }

    /// Moves on to a tick; false if that is not later. A new step may have begun then.
    #[inline(always)]
    pub(crate) fn advance(&mut self, now: u64) -> bool {
        let later = now > self.now;
        if later {
            self.now = now;
            if now >= self.step_ends {
                self.begin_step();
            }
        }
        later
    }

    /// Finds out which stamps are alive in the present step.
    #[inline(never)]
    fn begin_step(&mut self) {
        let step = self.step();
        self.step_ends = step.saturating_add(1).saturating_mul(self.cut.ticks);
        (self.alive, self.items) = (0, 0);
        for number in self.numbers() {
            let stamp = self.stamp_of(number);
            let epoch = &mut self.epochs[stamp as usize];
            if step - epoch.step <= self.cut.steps.into() {
                self.alive |= 1 << stamp;
                self.items += epoch.items;
            } else {
                epoch.items = 0;
            }
        }
    }

    /// The stamp of the present step, if it has one.
    #[inline(always)]
    pub(crate) fn stamp(&self) -> Option<u32> {
        let stamp = self.stamp_of(self.opened.checked_sub(1)?);
        (self.epochs[stamp as usize].step == self.step()).then_some(stamp)
    }

    /// Gives the present step a stamp: the one that was dead for longest, which no slot has any more.
    pub(crate) fn open(&mut self) -> u32 {
        let stamp = self.stamp_of(self.opened);
        debug_assert_eq!(self.alive >> stamp & 1, 0);
        self.epochs[stamp as usize] = Epoch { step: self.step(), items: 0 };
        self.opened += 1;
        self.alive |= 1 << stamp;
        stamp
    }

    /// Takes over how many items have each stamp.
    pub(crate) fn set_items(&mut self, counted: &[u64]) {
        self.epochs.iter_mut().zip(counted).for_each(|(epoch, &items)| epoch.items = items);
        self.begin_step();
    }

    /// Counts a new item.
    #[inline(always)]
    pub(crate) fn count(&mut self, stamp: u32) {
        self.epochs[stamp as usize].items += 1;
        self.items += 1;
    }

    /// Counts that an item got another stamp.
    #[inline(always)]
    pub(crate) fn renew(&mut self, old: u32, new: u32) {
        self.epochs[old as usize].items -= 1;
        self.epochs[new as usize].items += 1;
    }
}
