//! The one instruction that safe Rust cannot give: ask for a cache line ahead of its use.
#![allow(unsafe_code)]

/// Asks for the line that holds `place`. A hint: it reads nothing and cannot fail. Without it the line limit of the
/// machine cannot be reached (measured by `limit`: the plain loop beside the prefetched one).
#[inline(always)]
pub(crate) fn prefetch<T>(place: &T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch does not access memory as far as the program can tell, and SSE is part of x86-64.
    unsafe {
        use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(core::ptr::from_ref(place).cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = place;
}
