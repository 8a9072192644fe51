//! The public type: a set of what was seen lately.
#![forbid(unsafe_code)]

use super::builder::WindowBuilder;
use super::clock::{Clock, Steps, Window};
use super::lines::{Lines, with_lines};
use super::stash::Stash;
use crate::arch::Arch;
use crate::error::{BuildError, InsertError};
use crate::evict::BreadthFirst;
use crate::fingerprint::Fingerprint;
use crate::geometry::{Geometry, Layout};
use crate::hash::{HashKind, ItemHasher};
use crate::key::Key;
use crate::memory::Memory;
use crate::sizing;
use crate::table::{Candidates, Cells};
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;
use core::time::Duration;

/// A set of what was seen in the last so many items, or in the last so much time. Items leave by themselves.
///
/// ```
/// use cuculus::WindowFilter;
///
/// // Each line once in any 10,000 lines.
/// let mut seen = WindowFilter::builder().items(10_000).false_positive_rate(0.001).build()?;
/// assert!(seen.insert("cuckoo")?);
/// assert!(!seen.insert("cuckoo")?);
/// for line in 0..20_000u64 {
///     seen.insert(&line)?;
/// }
/// assert!(!seen.contains("cuckoo"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// The caller is the clock of a window of time: [`advance`](Self::advance) says what time it is.
///
/// ```
/// use core::time::Duration;
/// use cuculus::WindowFilter;
///
/// // Up to a million different clients in any ten minutes.
/// let mut clients =
///     WindowFilter::builder().duration(Duration::from_secs(600)).items(1_000_000).false_positive_rate(0.01).build()?;
/// clients.insert("192.0.2.1")?;
/// clients.advance(Duration::from_secs(599));
/// assert!(clients.contains("192.0.2.1"));
/// clients.advance(Duration::from_secs(651));
/// assert!(!clients.contains("192.0.2.1"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// * An item is found for at least the [`window`](Self::window) after it was last seen: in a window of `n` items while at most
///   `n - 1` others came after it, in one of time until that time has passed. It is gone, but for the false-positive rate,
///   when one [`step`](Self::step) more has passed. Seeing it again renews it.
/// * An absent item is found with at most the [promised rate](Self::promised_false_positive_rate), at every moment.
/// * A window of items never refuses one. A window of time refuses new items while [`capacity`](Self::capacity) items are
///   in it; a refused call changes nothing, and items that are in it are renewed all the same.
/// * Nothing is removed by hand: a slot may answer for two items that look alike, and both need it.
/// * One call does bounded work, whatever time has passed: see [`insert`](Self::insert).
///
/// It costs a stamp of a few bits an item, and a share for the step more: with 12 steps about half as much again as a
/// [`CuckooFilter`](crate::CuckooFilter) at 1 %, a quarter at 0.0001 %.
pub struct WindowFilter {
    pub(crate) spec: Spec,
    pub(crate) lines: Lines,
    pub(crate) bytes: Memory,
    pub(crate) clock: Clock,
    /// The line that is swept next.
    pub(crate) hand: u64,
    /// Lines swept since the last stamp was opened, at most a [`quota`](Spec::quota).
    pub(crate) swept: u64,
    pub(crate) stash: Stash,
    pub(crate) arch: Arch,
    /// Working memory of the search; no part of the state.
    search: BreadthFirst,
}

/// What a filter was built as; it never changes afterwards.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Spec {
    /// Compact lines, with the bits of the fingerprints alone.
    pub(crate) fingerprints: Geometry,
    pub(crate) cut: Steps,
    pub(crate) hasher: ItemHasher,
    /// Items that may be alive at once.
    pub(crate) capacity: u64,
    pub(crate) promised_rate: f64,
}

/// Slots that a search looks at before an item goes to the stash. At the planned load nearly all end within a dozen.
const POSITIONS: u32 = 2_000;

/// Lines that an insert into a window of time sweeps while there are some to sweep.
const SHARE: u64 = 8;

/// Lines that [`advance`](WindowFilter::advance) sweeps.
const ADVANCE_SHARE: u64 = 256;

impl Spec {
    /// The lines with whole slots: fingerprint and stamp.
    pub(crate) fn slots(&self) -> Geometry {
        let Geometry { fingerprint_bits, .. } = self.fingerprints;
        Geometry { fingerprint_bits: fingerprint_bits + self.cut.stamp_bits, ..self.fingerprints }
    }

    /// Lines to sweep between two openings of a stamp.
    pub(crate) fn quota(&self) -> u64 {
        self.fingerprints.buckets.div_ceil(self.cut.spare())
    }

    /// Hand and swept lines of an empty table: there is nothing to sweep.
    fn start(&self) -> (u64, u64) {
        (0, self.quota())
    }

    /// Lines that an insert sweeps. A step of a window of items has just so many inserts that none has to do more.
    fn share(&self) -> u64 {
        if self.cut.timed { SHARE } else { self.quota().div_ceil(self.cut.ticks) }
    }
}

/// Reading. All of it takes `&self` and may run from many threads at once.
impl WindowFilter {
    /// The hash of a key under this filter's hash function: what the `_hash` methods take.
    #[inline]
    pub fn hash<K: Key + ?Sized>(&self, key: &K) -> u64 {
        key.hash_with(&self.spec.hasher)
    }

    /// Whether an item was probably seen within the window; `false` is certain. Two cache lines are read. Looking renews
    /// nothing.
    #[inline]
    pub fn contains<K: Key + ?Sized>(&self, key: &K) -> bool {
        self.contains_hash(self.hash(key))
    }

    /// [`contains`](Self::contains) by hash. The hash must be uniform over all 64 bits; [`hash`](Self::hash) is.
    #[inline]
    pub fn contains_hash(&self, hash: u64) -> bool {
        let bytes = self.bytes.as_ref();
        with_lines!(&self.lines, cells => cells.matches(bytes, &cells.locate(hash)) != 0)
            || (!self.stash.is_empty() && self.is_stashed(hash))
    }

    #[cold]
    pub(crate) fn is_stashed(&self, hash: u64) -> bool {
        let (candidates, fingerprint) = with_lines!(&self.lines, cells => cells.candidates(hash));
        self.stash.get(&candidates, fingerprint).is_some()
    }

    /// Items in the window now, and perhaps of the step before it. Items that cannot be told from each other count as one.
    pub fn len(&self) -> u64 {
        self.clock.items()
    }

    /// Whether nothing is in the window.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Items that may be in the window and one step more at once: at least those of the builder, and the share of a step.
    pub fn capacity(&self) -> u64 {
        self.spec.capacity
    }

    /// The window: for so long an item is found after it was last seen. What was asked for, rounded up to whole steps.
    pub fn window(&self) -> Window {
        self.spec.cut.span(self.spec.cut.window())
    }

    /// One step: for at most so much longer than the window an item is found.
    pub fn step(&self) -> Window {
        self.spec.cut.span(self.spec.cut.ticks)
    }

    /// Steps of the window.
    pub fn steps(&self) -> u32 {
        self.spec.cut.steps
    }

    /// How far the window has come: items seen since the filter was new, or the latest time that
    /// [`advance`](Self::advance) was told.
    pub fn now(&self) -> Window {
        self.spec.cut.span(self.clock.now)
    }

    /// Slots of the table.
    pub fn slots(&self) -> u64 {
        self.spec.fingerprints.slots()
    }

    /// Items in the window for each slot, 0 to 1 (the paper's alpha). Slots of expired items count as empty, as they do to
    /// lookups and inserts.
    pub fn load_factor(&self) -> f64 {
        self.len() as f64 / self.slots() as f64
    }

    /// The shape of the table, whose slots hold fingerprints of these widths and below each a stamp of
    /// [`stamp_bits`](Self::stamp_bits).
    pub fn geometry(&self) -> &Geometry {
        &self.spec.fingerprints
    }

    /// Bits of a stamp.
    pub fn stamp_bits(&self) -> u32 {
        self.spec.cut.stamp_bits
    }

    /// Bytes of the table, which is all that grows with the window.
    pub fn table_bytes(&self) -> u64 {
        self.spec.fingerprints.table_bytes()
    }

    /// Bytes of everything: the table, and a few for the stamps.
    pub fn memory_bytes(&self) -> u64 {
        self.table_bytes() + core::mem::size_of_val(&self.clock.epochs[..]) as u64
    }

    /// The expected false-positive rate at the present load.
    pub fn false_positive_rate(&self) -> f64 {
        sizing::false_positive_rate(&self.spec.fingerprints, self.load_factor().min(1.0))
    }

    /// The rate that was asked for; it holds at every moment.
    pub fn promised_false_positive_rate(&self) -> f64 {
        self.spec.promised_rate
    }

    /// The hash function, with its seed or key.
    pub fn hash_kind(&self) -> HashKind {
        self.spec.hasher.kind()
    }

    /// Items kept beside the table because others that cannot move have their slots: nearly always none.
    pub fn stashed(&self) -> u64 {
        self.stash.len() as u64
    }

    /// Checks that the table holds what the counts say and nothing but what this crate writes. Reads the whole table.
    ///
    /// # Errors
    /// The first contradiction, in words.
    pub fn validate(&self) -> Result<(), &'static str> {
        let counted = self.recount()?;
        self.validate_counts(&counted)
    }

    fn validate_counts(&self, counted: &[u64]) -> Result<(), &'static str> {
        let alive = (0..).zip(counted).filter(|&(stamp, _)| self.clock.alive() >> stamp & 1 != 0);
        match { alive }.all(|(stamp, &items)| self.clock.epochs[stamp].items == items) {
            true if self.clock.items() <= self.spec.capacity => Ok(()),
            true => Err("more items than the capacity"),
            false => Err("the table does not hold what was counted"),
        }
    }

    /// How many slots and stashed items have each stamp; fails on what cannot be there, and on dead ones that the hand would
    /// reach only after their stamp has come again.
    pub(crate) fn recount(&self) -> Result<Vec<u64>, &'static str> {
        let (clock, spec) = (&self.clock, &self.spec);
        let (stamps, lines) = (spec.cut.stamps(), spec.fingerprints.buckets);
        // By stamp, how many lines the hand will have swept before the next item gets it; of one that is alive, all.
        let mut reach = vec![0; stamps as usize];
        for number in clock.numbers() {
            let stamp = clock.stamp_of(number);
            let openings = number + stamps - clock.opened;
            let alive = clock.alive() >> stamp & 1 != 0;
            reach[stamp as usize] = if alive { lines } else { (openings + 1) * spec.quota() - self.swept };
        }
        let mut counted = vec![0; stamps as usize];
        with_lines!(&self.lines, cells => cells.visit(self.bytes.as_ref(), |line, stamp| {
            let way = if line >= self.hand { line - self.hand } else { line + lines - self.hand };
            counted[stamp as usize] += 1;
            match way < reach[stamp as usize] {
                true => Ok(()),
                false => Err("an expired item that the hand has left behind"),
            }
        }))?;
        for (_, _, stamp) in self.stash.iter() {
            counted[stamp as usize] += 1;
        }
        Ok(counted)
    }
}

/// Building and changing.
impl WindowFilter {
    /// Starts a filter from what is known: the window, the items in it, the rate.
    pub fn builder() -> WindowBuilder {
        WindowBuilder::default()
    }

    pub(crate) fn from_spec(spec: Spec) -> Result<Self, BuildError> {
        debug_assert!(spec.slots().validate().is_ok() && spec.fingerprints.layout == Layout::Compact, "{spec:?}");
        let bytes = spec.fingerprints.table_bytes();
        let memory = usize::try_from(bytes).ok().and_then(Memory::zeroed).ok_or(BuildError::Allocation { bytes })?;
        Ok(Self::from_parts(spec, memory, Clock::new(spec.cut), spec.start(), Stash::default()))
    }

    /// `hand` and `swept` together.
    pub(crate) fn from_parts(spec: Spec, bytes: Memory, clock: Clock, sweep: (u64, u64), stash: Stash) -> Self {
        let mut lines = Lines::new(&spec.fingerprints, spec.cut.stamp_bits);
        lines.set_alive(clock.alive());
        let (hand, swept) = sweep;
        let (arch, search) = (Arch::detect(), BreadthFirst::default());
        WindowFilter { spec, lines, bytes, clock, hand, swept, stash, arch, search }
    }

    /// Tells a window of time what time it is: how long after some moment, the same for all calls and after loading (the
    /// Unix epoch, if the filter is to be saved). Says whether the window went on: a time that is not later than one told
    /// before changes nothing, and neither does any in a window of items, whose clock is its items.
    ///
    /// Constant work, however long the time: items that are now too old are no longer found at once, and their slots are
    /// swept bit by bit, here up to 256 lines. A new filter is at time 0.
    pub fn advance(&mut self, now: Duration) -> bool {
        let moved = self.spec.cut.timed && self.tick(u64::try_from(now.as_nanos()).unwrap_or(u64::MAX));
        if moved {
            self.sweep(ADVANCE_SHARE);
        }
        moved
    }

    #[inline(always)]
    fn tick(&mut self, now: u64) -> bool {
        let before = self.clock.alive();
        let moved = self.clock.advance(now);
        if self.clock.alive() != before {
            self.lines.set_alive(self.clock.alive());
            self.stash.keep(self.clock.alive());
        }
        moved
    }

    /// Notes that an item is seen now; says whether it is new: not seen within the window before (or `false`, at the
    /// false-positive rate). Either way it is found for the window from here on. In a window of items this is one of them.
    ///
    /// Reads two cache lines, writes one, and sweeps a few; the first insert of a step of time finishes what sweeping the step
    /// before left, up to a third of the table (with 12 steps) where nearly nothing was inserted in it.
    ///
    /// # Errors
    /// [`InsertError`], and nothing has changed: only for a new item, and only in a window of time or, by a chance that
    /// does not happen, where 64 items have been put aside.
    #[inline]
    pub fn insert<K: Key + ?Sized>(&mut self, key: &K) -> Result<bool, InsertError> {
        self.insert_hash(self.hash(key))
    }

    /// [`insert`](Self::insert) by hash. The hash must be uniform over all 64 bits; [`hash`](Self::hash) is.
    ///
    /// # Errors
    /// As [`insert`](Self::insert).
    #[inline]
    pub fn insert_hash(&mut self, hash: u64) -> Result<bool, InsertError> {
        let (candidates, fingerprint) = with_lines!(&self.lines, cells => cells.candidates(hash));
        self.insert_at(&candidates, fingerprint)
    }

    /// The common end of every insert.
    pub(crate) fn insert_at(&mut self, candidates: &Candidates, fingerprint: Fingerprint) -> Result<bool, InsertError> {
        let bits = self.spec.cut.stamp_bits;
        let bytes = self.bytes.as_ref();
        let held = with_lines!(&self.lines, cells => {
            let mut held = candidates.as_slice().iter().map(|&cell| (cell, cells.get(bytes, cell, 0)));
            held.find(|&(_, value)| value >> bits == fingerprint.get())
        });
        let stashed = if self.stash.is_empty() { None } else { self.stash.get(candidates, fingerprint) };
        let is_new = held.is_none() && stashed.is_none();
        if is_new {
            self.check_room()?;
        }
        let stamp = self.stamp();
        let value = fingerprint.get() << bits | stamp;
        let bytes = self.bytes.as_mut();
        match (held, stashed) {
            (Some((cell, old)), _) => {
                let old = old & ((1 << bits) - 1);
                if old != stamp {
                    with_lines!(&self.lines, cells => cells.set(bytes, cell, 0, value));
                    self.clock.renew(old, stamp);
                }
            }
            (None, Some(old)) => {
                self.stash.set(candidates, fingerprint, stamp);
                self.clock.renew(old, stamp);
            }
            (None, None) => {
                let value = Fingerprint::from_slot(value).expect("a fingerprint is not zero");
                if !with_lines!(&self.lines, cells => cells.place(bytes, candidates, value)) {
                    self.make_room(candidates, fingerprint, value);
                }
                self.clock.count(stamp);
            }
        }
        self.sweep(self.spec.share());
        if !self.spec.cut.timed {
            self.tick(self.clock.now.saturating_add(1));
        }
        Ok(is_new)
    }

    fn check_room(&self) -> Result<(), InsertError> {
        if self.len() >= self.spec.capacity {
            return Err(InsertError::Full { capacity: self.spec.capacity });
        }
        match self.stash.is_full() {
            true => Err(InsertError::NoRoom { len: self.len(), slots: self.slots() }),
            false => Ok(()),
        }
    }

    /// The stamp of the present step, opened if need be.
    #[inline(always)]
    fn stamp(&mut self) -> u32 {
        match self.clock.stamp() {
            Some(stamp) => stamp,
            None => self.open(),
        }
    }

    #[inline(never)]
    fn open(&mut self) -> u32 {
        self.sweep(u64::MAX);
        self.swept = 0;
        let stamp = self.clock.open();
        self.lines.set_alive(self.clock.alive());
        stamp
    }

    /// Stores a value whose candidate slots are all taken: after moving others, or beside the table.
    #[inline(never)]
    fn make_room(&mut self, candidates: &Candidates, fingerprint: Fingerprint, value: Fingerprint) {
        let bytes = self.bytes.as_mut();
        let search = &mut self.search;
        let moved = with_lines!(&self.lines, cells => search.insert(cells, bytes, candidates, value, POSITIONS));
        if moved.is_err() {
            self.stash.set(candidates, fingerprint, value.get() & ((1 << self.spec.cut.stamp_bits) - 1));
        }
    }

    /// Moves the hand on by up to so many lines, if it has to go on before the next stamp is opened.
    #[inline(always)]
    fn sweep(&mut self, most: u64) {
        let left = self.spec.quota() - self.swept;
        if left > 0 {
            self.sweep_lines(most.min(left));
        }
    }

    #[inline(never)]
    fn sweep_lines(&mut self, count: u64) {
        let (lines, bytes) = (self.spec.fingerprints.buckets, self.bytes.as_mut());
        let hand = &mut self.hand;
        with_lines!(&self.lines, cells => self.arch.run(
            #[inline(always)]
            || for _ in 0..count {
                cells.sweep(bytes, *hand);
                *hand = if *hand + 1 == lines { 0 } else { *hand + 1 };
            }
        ));
        self.swept += count;
    }

    /// Counts the items of a filter whose table was read from outside.
    pub(crate) fn count_items(&mut self) -> Result<(), &'static str> {
        let counted = self.recount()?;
        self.clock.set_items(&counted);
        self.validate_counts(&counted)
    }

    /// Forgets everything, the time too. The memory stays; what is left is a new filter.
    pub fn clear(&mut self) {
        self.bytes.as_mut().fill(0);
        self.clock = Clock::new(self.spec.cut);
        self.lines.set_alive(0);
        self.stash.clear();
        (self.hand, self.swept) = self.spec.start();
    }
}

impl Clone for WindowFilter {
    fn clone(&self) -> Self {
        let sweep = (self.hand, self.swept);
        Self::from_parts(self.spec, self.bytes.clone(), self.clock.clone(), sweep, self.stash.clone())
    }
}

/// Equal filters hold the same bytes at the same time under the same parameters: they answer alike and go on alike.
impl PartialEq for WindowFilter {
    fn eq(&self, other: &WindowFilter) -> bool {
        self.spec == other.spec
            && self.clock == other.clock
            && (self.hand, self.swept, &self.stash) == (other.hand, other.swept, &other.stash)
            && self.bytes.as_ref() == other.bytes.as_ref()
    }
}

impl fmt::Debug for WindowFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WindowFilter")
            .field("window", &self.window())
            .field("steps", &self.steps())
            .field("now", &self.now())
            .field("len", &self.len())
            .field("capacity", &self.spec.capacity)
            .field("promised_false_positive_rate", &self.spec.promised_rate)
            .field("hash", &self.spec.hasher.kind())
            .finish_non_exhaustive()
    }
}
