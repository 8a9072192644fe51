//! Loads, stores and prefetches of unaligned little-endian words.

/// Memory that fingerprints are read from: bytes of one owner, or words that threads share.
pub(crate) trait Bytes {
    /// The eight bytes at `at`, as a little-endian word.
    ///
    /// # Safety
    /// `at + 8` is at most the number of bytes.
    unsafe fn load(&self, at: usize) -> u64;

    /// [`load`](Self::load), never joined with others into a vector gather.
    ///
    /// # Safety
    /// As [`load`](Self::load).
    #[inline(always)]
    unsafe fn load_alone(&self, at: usize) -> u64 {
        // SAFETY: the caller's promise.
        unsafe { self.load(at) }
    }

    /// Asks for the cache line of byte `at`. Any `at` is fine: a prefetch reads nothing.
    fn prefetch(&self, at: usize);
}

/// Memory that fingerprints are written to.
pub(crate) trait BytesMut: Bytes {
    /// Replaces the bits of `keep = 0` in the eight bytes at `at` by those of `bits`.
    fn store(&mut self, at: usize, keep: u64, bits: u64);
}

impl Bytes for [u8] {
    #[inline(always)]
    unsafe fn load(&self, at: usize) -> u64 {
        // SAFETY: the caller's promise.
        unsafe { load(self, at) }
    }

    #[inline(always)]
    unsafe fn load_alone(&self, at: usize) -> u64 {
        // SAFETY: the caller's promise.
        unsafe { load_alone(self, at) }
    }

    #[inline(always)]
    fn prefetch(&self, at: usize) {
        prefetch(self, at);
    }
}

impl BytesMut for [u8] {
    #[inline(always)]
    fn store(&mut self, at: usize, keep: u64, bits: u64) {
        store(self, at, keep, bits);
    }
}

/// The eight bytes at `at`, as a little-endian word.
///
/// # Safety
/// `at + 8 <= bytes.len()`.
#[inline(always)]
pub(crate) unsafe fn load(bytes: &[u8], at: usize) -> u64 {
    debug_assert!(at + 8 <= bytes.len());
    // SAFETY: the caller promises that the eight bytes lie inside `bytes`; the read is unaligned.
    u64::from_le(unsafe { bytes.as_ptr().add(at).cast::<u64>().read_unaligned() })
}

/// [`load`], never joined with others into a vector gather: those take several times as long as the loads by themselves.
///
/// # Safety
/// `at + 8 <= bytes.len()`.
#[inline(always)]
pub(crate) unsafe fn load_alone(bytes: &[u8], at: usize) -> u64 {
    #[derive(Clone, Copy)]
    #[repr(Rust, packed)]
    struct Unaligned(u64);
    debug_assert!(at + 8 <= bytes.len());
    // SAFETY: the caller promises that the eight bytes lie inside `bytes`; the type has no alignment. Volatile only so
    // that the read stays one of its own.
    u64::from_le(unsafe { bytes.as_ptr().add(at).cast::<Unaligned>().read_volatile() }.0)
}

/// Replaces the bits of `keep = 0` in the eight bytes at `at` by those of `bits`. Checked: writes are not where the time goes.
#[inline(always)]
pub(crate) fn store(bytes: &mut [u8], at: usize, keep: u64, bits: u64) {
    let word: &mut [u8; 8] = (&mut bytes[at..at + 8]).try_into().expect("eight bytes");
    *word = (u64::from_le_bytes(*word) & keep | bits).to_le_bytes();
}

/// Asks for the cache line of `bytes[at]`. Any `at` is fine: a prefetch reads nothing.
#[inline(always)]
pub(crate) fn prefetch(bytes: &[u8], at: usize) {
    prefetch_address(bytes.as_ptr().wrapping_add(at));
}

/// Asks for the cache line of an address. Any address is fine.
#[inline(always)]
pub(crate) fn prefetch_address(address: *const u8) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch is a hint; it may name any address, and SSE is part of every x86-64.
    unsafe {
        core::arch::x86_64::_mm_prefetch::<{ core::arch::x86_64::_MM_HINT_T0 }>(address.cast())
    };
    #[cfg(target_arch = "aarch64")]
    // SAFETY: a prefetch is a hint; it may name any address and changes no register or memory.
    unsafe {
        core::arch::asm!("prfm pldl1keep, [{0}]", in(reg) address, options(nostack, readonly, preserves_flags))
    };
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    let _ = address;
}
