//! The public type: lookups, removal, counts, and the way from and to a plain filter.

use super::primitives::{AtomicU64, Mutex, Ordering, fence};
use super::stripes::{Moves, Stripes};
use super::words::{CopyTo, Locked, Words};
use crate::arch::Arch;
use crate::bits::Word;
use crate::error::BuildError;
use crate::filter::{CuckooFilter, Spec};
use crate::geometry::{Geometry, Layout, Search};
use crate::hash::HashKind;
use crate::key::Key;
use crate::memory::Memory;
use crate::rng::Rng;
use crate::stash::Stash;
use crate::table::{Candidates, Cells, Table, with_table};
use alloc::boxed::Box;
use core::fmt;

/// A [`CuckooFilter`] whose methods all take `&self`: any number of threads look up, insert and remove at once.
///
/// ```
/// use cuculus::SyncFilter;
///
/// let seen = SyncFilter::new(10_000, 0.01)?;
/// std::thread::scope(|scope| {
///     for thread in 0..4u64 {
///         let seen = &seen;
///         scope.spawn(move || (0..1_000u64).try_for_each(|i| seen.insert(&(thread * 1_000 + i))));
///     }
/// });
/// assert_eq!(seen.len(), 4_000);
/// assert!((0..4_000u64).all(|key| seen.contains(&key)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// * A lookup takes no lock and waits for nobody. It never misses an item that is there, also while other threads move
///   it about. It costs up to a quarter more than in a plain filter.
/// * Inserts and removals lock the two cache lines of their item (more while they make room), one of at most 1,024 groups
///   of lines each; so two of them rarely wait for each other.
/// * The promises are those of [`CuckooFilter`]; used by one thread, it holds the same bytes after the same calls. What
///   many threads lead to depends on who comes first, as far as which slot holds which item.
///
/// It is made of a plain filter and becomes one again, without copying: `SyncFilter::try_from(filter)`,
/// [`into_inner`](Self::into_inner). To save one that is in use, save a [`snapshot`](Self::snapshot).
pub struct SyncFilter {
    pub(super) spec: Spec,
    pub(super) table: Table,
    pub(super) words: Words,
    /// Words of a line that buckets of the line before may reach into.
    shared_words: usize,
    pub(super) stripes: Stripes,
    pub(super) arch: Arch,
    /// Items when the stripes began to count.
    start: u64,
    /// The generator is not used here; it is kept for the plain filter that this may become.
    rng: Rng,
    pub(super) stash: Mutex<Stash>,
    /// Copies in the stash: while there are none, which is nearly always, nobody locks it.
    pub(super) stashed: AtomicU64,
}

/// A filter that cannot be shared, and why. [`into_inner`](Self::into_inner) gives it back.
#[derive(Debug)]
pub struct ShareError {
    filter: Box<CuckooFilter>,
    reason: &'static str,
}

impl ShareError {
    /// The filter as it was.
    pub fn into_inner(self) -> CuckooFilter {
        *self.filter
    }
}

impl fmt::Display for ShareError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the filter cannot be shared between writers: {}", self.reason)
    }
}

impl core::error::Error for ShareError {}

impl TryFrom<CuckooFilter> for SyncFilter {
    type Error = ShareError;

    /// Takes a filter of the packed or compact layout with breadth-first search, the defaults. Semi-sorted buckets are
    /// rewritten as a whole at every change, and a random walk takes items out before it has found room for them: neither
    /// goes with lookups that take no lock.
    fn try_from(filter: CuckooFilter) -> Result<Self, ShareError> {
        let reason = match (filter.spec.geometry.layout, filter.spec.search) {
            (Layout::SemiSorted, _) => "its layout is semi-sorted",
            (_, Search::RandomWalk { .. }) => "its search is a random walk",
            _ => return Ok(Self::share(filter)),
        };
        Err(ShareError { filter: Box::new(filter), reason })
    }
}

impl From<SyncFilter> for CuckooFilter {
    fn from(filter: SyncFilter) -> Self {
        filter.into_inner()
    }
}

impl SyncFilter {
    /// A filter for `items` distinct items and a false-positive rate of at most `rate`, as [`CuckooFilter::new`]. For
    /// anything else use [`CuckooFilter::builder`] and `SyncFilter::try_from`.
    ///
    /// # Errors
    /// As [`CuckooFilter::new`].
    pub fn new(items: u64, rate: f64) -> Result<Self, BuildError> {
        CuckooFilter::new(items, rate).map(Self::share)
    }

    fn share(filter: CuckooFilter) -> Self {
        let CuckooFilter { spec, table, bytes, len, rng, stash, arch, search: _ } = filter;
        SyncFilter {
            spec,
            table,
            words: Words::new(bytes),
            shared_words: match spec.geometry.layout {
                Layout::Compact => 0,
                _ => spec.geometry.bucket_bits().div_ceil(64) as usize,
            },
            stripes: Stripes::new(spec.capacity - len),
            arch,
            start: len,
            rng,
            stashed: AtomicU64::new(stash.items()),
            stash: Mutex::new(stash),
        }
    }

    /// The plain filter, in the same memory.
    pub fn into_inner(self) -> CuckooFilter {
        let len = self.len();
        let stash = core::mem::take(&mut *self.stash.lock().expect("no call panics while it holds the stash"));
        CuckooFilter::from_parts(self.spec, self.words.into_memory(), len, self.rng, stash)
    }

    /// A copy as it is at one moment: no call of another thread is half in it. Writers wait while it is made, about
    /// 0.2 ms for each MiB; lookups go on.
    ///
    /// # Panics
    /// If the system has not got the memory for a copy.
    pub fn snapshot(&self) -> CuckooFilter {
        let bytes = usize::try_from(self.table_bytes()).ok().and_then(Memory::zeroed);
        let mut bytes = bytes.expect("memory for a copy of the filter");
        // Pages that were touched before do not come under the locks.
        bytes.as_mut().fill(0);
        let guard = self.stripes.lock_all();
        self.words.get().copy_to(bytes.as_mut());
        let stash = self.stash.lock().expect("no call panics while it holds the stash").clone();
        let len = self.len();
        drop(guard);
        CuckooFilter::from_parts(self.spec, bytes, len, self.rng, stash)
    }

    /// The hash of a key under this filter's hash function: what the `_hash` methods take.
    #[inline]
    pub fn hash<K: Key + ?Sized>(&self, key: &K) -> u64 {
        key.hash_with(&self.spec.hasher)
    }

    /// Whether an item is probably stored; `false` is certain. Two cache lines are read, and no lock is taken.
    #[inline]
    pub fn contains<K: Key + ?Sized>(&self, key: &K) -> bool {
        self.contains_hash(self.hash(key))
    }

    /// [`contains`](Self::contains) by hash. The hash must be uniform over all 64 bits; [`hash`](Self::hash) is.
    #[inline]
    pub fn contains_hash(&self, hash: u64) -> bool {
        if let Table::Straight(cells) = &self.table {
            return look(cells, self.words.get(), self.stripes.moves(), &cells.locate(hash)) != 0;
        }
        self.contains_elsewhere(hash)
    }

    #[inline(never)]
    fn contains_elsewhere(&self, hash: u64) -> bool {
        with_table!(&self.table, cells => look(cells, self.words.get(), self.stripes.moves(), &cells.locate(hash)) != 0)
    }

    /// How many copies of an item are stored, at least. Takes the item's locks.
    pub fn count<K: Key + ?Sized>(&self, key: &K) -> u32 {
        self.count_hash(self.hash(key))
    }

    /// [`count`](Self::count) by hash.
    pub fn count_hash(&self, hash: u64) -> u32 {
        with_table!(&self.table, cells => {
            let (candidates, fingerprint) = cells.candidates(hash);
            let _guard = self.stripes.lock_two(lines_of(cells, &candidates));
            let stashed = match self.stashed.load(Ordering::Relaxed) {
                0 => 0,
                _ => self.with_stash(|stash| stash.count(&candidates, fingerprint)),
            };
            cells.count(self.words.get(), &candidates, fingerprint) + stashed
        })
    }

    /// Removes one copy of an item; says whether there was one.
    ///
    /// **Remove only what was stored**, as with [`CuckooFilter::remove`].
    #[inline]
    pub fn remove<K: Key + ?Sized>(&self, key: &K) -> bool {
        self.remove_hash(self.hash(key))
    }

    /// [`remove`](Self::remove) by hash.
    #[inline]
    pub fn remove_hash(&self, hash: u64) -> bool {
        with_table!(&self.table, cells => {
            let (candidates, fingerprint) = cells.candidates(hash);
            let lines = lines_of(cells, &candidates);
            let guard = self.stripes.lock_two(lines);
            let stashed = self.stashed.load(Ordering::Relaxed) != 0
                && self.with_stash(|stash| stash.remove(&candidates, fingerprint));
            let removed = stashed || {
                guard.announce_move(lines);
                cells.take(&mut self.locked(), &candidates, fingerprint)
            };
            if removed {
                guard.count_remove();
            }
            removed
        })
    }

    /// Removes everything, at one moment for other writers; a lookup meanwhile may see some of it gone.
    pub fn clear(&self) {
        let guard = self.stripes.lock_all();
        self.words.get().iter().for_each(|word| word.store(0, Ordering::Release));
        self.with_stash(Stash::clear);
        guard.count_clear(self.spec.capacity, self.start.wrapping_neg());
    }

    /// The words for a thread that holds a guard.
    #[inline(always)]
    pub(super) fn locked(&self) -> Locked<'_> {
        Locked::new(self.words.get(), self.shared_words)
    }

    /// Works on the stash and renews what others know of it without its lock.
    pub(super) fn with_stash<R>(&self, work: impl FnOnce(&mut Stash) -> R) -> R {
        let mut stash = self.stash.lock().expect("no call panics while it holds the stash");
        let result = work(&mut stash);
        self.stashed.store(stash.items(), Ordering::Relaxed);
        result
    }

    /// Items stored. Calls of other threads that run at the same time may be counted or not. Reads 1,024 counters.
    pub fn len(&self) -> u64 {
        // Between the two counts of a pair of calls the sum may be below zero for a moment.
        let len = self.start.wrapping_add(self.stripes.net());
        if len >> 63 == 1 { 0 } else { len }
    }

    /// Whether nothing is stored.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// As [`CuckooFilter::capacity`]. Exact among threads: together they store so many and not one more.
    pub fn capacity(&self) -> u64 {
        self.spec.capacity
    }

    /// Bytes of the table. Locks and counters take 24 KiB beside it.
    pub fn table_bytes(&self) -> u64 {
        self.spec.geometry.table_bytes()
    }

    /// As [`CuckooFilter::promised_false_positive_rate`]. A lookup at the very moment at which a fingerprint across a word
    /// border is written may read a mixture of old and new, which matches no more often than any other fingerprint.
    pub fn promised_false_positive_rate(&self) -> f64 {
        self.spec.promised_rate
    }

    /// The shape.
    pub fn geometry(&self) -> &Geometry {
        &self.spec.geometry
    }

    /// The hash function, with its seed or key.
    pub fn hash_kind(&self) -> HashKind {
        self.spec.hasher.kind()
    }
}

/// The cache lines in which the candidates' buckets start.
#[inline(always)]
pub(super) fn lines_of<C: Cells>(cells: &C, candidates: &Candidates) -> [u64; 2] {
    let candidates = candidates.as_slice();
    [cells.line(candidates[0]), cells.line(candidates[candidates.len() - 1])]
}

/// A lookup, or several in step: see the proof at the top of this room. Not zero where the item was found.
#[inline(always)]
pub(super) fn look<C: Cells, W: Word>(cells: &C, words: &[AtomicU64], moves: Moves<'_>, probe: &C::Probe<W>) -> W {
    let [first, second] = cells.lines(probe);
    let pair = first ^ second;
    loop {
        let before = pair.map(|pair| moves.of(pair).load(Ordering::Acquire));
        let found = cells.matches(words, probe);
        fence(Ordering::Acquire);
        let after = pair.map(|pair| moves.of(pair).load(Ordering::Relaxed));
        // One branch that is nearly always taken, whether the item was found or not.
        let mut again = 0;
        W::splat(0)
            .minus(found.is_zero())
            .zip(before ^ after, |missed, changed| missed & changed)
            .each(|lane| again |= lane);
        if again == 0 {
            return found;
        }
    }
}

impl fmt::Debug for SyncFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SyncFilter")
            .field("len", &self.len())
            .field("capacity", &self.spec.capacity)
            .field("promised_false_positive_rate", &self.spec.promised_rate)
            .field("geometry", &self.spec.geometry)
            .field("hash", &self.spec.hasher.kind())
            .finish_non_exhaustive()
    }
}
