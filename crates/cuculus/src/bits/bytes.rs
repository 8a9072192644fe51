//! Loads, stores and prefetches of unaligned little-endian words.

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
    let address = bytes.as_ptr().wrapping_add(at);
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
