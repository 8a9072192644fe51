//! Loads, stores and prefetches of unaligned little-endian words.

/// Memory that fingerprints are read from: bytes of one owner, or words that threads share.
pub(crate) trait Bytes {
    /// The eight bytes at `at`, as a little-endian word.
    ///
    /// # Safety
    /// `at + 8` is at most the number of bytes.
    unsafe fn load(&self, at: usize) -> u64;

    /// [`load`](Self::load), never joined with others into a vector gather: those take several times as long as the loads
    /// by themselves.
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
        debug_assert!(at + 8 <= self.len());
        // SAFETY: the caller promises that the eight bytes lie inside `self`; the read is unaligned.
        u64::from_le(unsafe { self.as_ptr().add(at).cast::<u64>().read_unaligned() })
    }

    #[inline(always)]
    unsafe fn load_alone(&self, at: usize) -> u64 {
        #[derive(Clone, Copy)]
        #[repr(Rust, packed)]
        struct Unaligned(u64);
        debug_assert!(at + 8 <= self.len());
        // SAFETY: the caller promises that the eight bytes lie inside `self`; the type has no alignment. Volatile only so
        // that the read stays one of its own.
        u64::from_le(unsafe { self.as_ptr().add(at).cast::<Unaligned>().read_volatile() }.0)
    }

    #[inline(always)]
    fn prefetch(&self, at: usize) {
        prefetch_address(self.as_ptr().wrapping_add(at));
    }
}

impl BytesMut for [u8] {
    /// Checked: writes are not where the time goes.
    #[inline(always)]
    fn store(&mut self, at: usize, keep: u64, bits: u64) {
        let word: &mut [u8; 8] = (&mut self[at..at + 8]).try_into().expect("eight bytes");
        *word = (u64::from_le_bytes(*word) & keep | bits).to_le_bytes();
    }
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
