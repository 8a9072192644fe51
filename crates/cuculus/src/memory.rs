//! Where the bytes of a table live: zeroed, aligned to a cache line, on huge pages where that pays.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::ptr::NonNull;

/// One cache line; gives a `Vec` of them its alignment.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Line([u8; 64]);

/// From this size up the memory is mapped on its own and huge pages are asked for: a page walk then costs more than
/// the cache line it leads to.
#[cfg(all(feature = "huge-pages", unix))]
const HUGE_FROM: usize = 4 << 20;
#[cfg(all(feature = "huge-pages", unix))]
const HUGE_PAGE: usize = 2 << 20;

/// Bytes that are there behind the last one, for reads of two words.
const SLACK: usize = 64;

/// The owned bytes of a filter's table. Opaque: it is named only as the default storage of
/// [`CuckooFilter`](crate::CuckooFilter).
pub struct Memory {
    start: NonNull<u8>,
    len: usize,
    /// Keeps mapped bytes alive; without it they are a boxed slice of lines.
    #[cfg(all(feature = "huge-pages", unix))]
    map: Option<Box<memmap2::MmapMut>>,
}

// SAFETY: `start` points to bytes that this value alone owns, in `map` or in a box.
unsafe impl Send for Memory {}
// SAFETY: shared access gives out `&[u8]` only.
unsafe impl Sync for Memory {}

impl Memory {
    /// `len` zero bytes, or `None` where the system has not got them.
    pub(crate) fn zeroed(len: usize) -> Option<Self> {
        #[cfg(all(feature = "huge-pages", unix))]
        if len >= HUGE_FROM {
            return Self::mapped(len);
        }
        let mut lines = Vec::new();
        let count = len.div_ceil(64).checked_add(SLACK / 64)?;
        lines.try_reserve_exact(count).ok()?;
        lines.resize(count, Line([0; 64]));
        let start = NonNull::new(Box::into_raw(lines.into_boxed_slice()).cast::<u8>())?;
        Some(Memory {
            start,
            len,
            #[cfg(all(feature = "huge-pages", unix))]
            map: None,
        })
    }

    /// [`zeroed`](Self::zeroed), on huge pages where there are any; for whole huge pages.
    pub(crate) fn huge(len: usize) -> Option<Self> {
        #[cfg(all(feature = "huge-pages", unix))]
        return Self::mapped(len);
        #[cfg(not(all(feature = "huge-pages", unix)))]
        return Self::zeroed(len);
    }

    #[cfg(all(feature = "huge-pages", unix))]
    fn mapped(len: usize) -> Option<Self> {
        let mut map = memmap2::MmapMut::map_anon(len.checked_add(HUGE_PAGE)?).ok()?;
        // Refused where the kernel has no huge pages: then the filter works on small ones.
        #[cfg(target_os = "linux")]
        let _ = map.advise(memmap2::Advice::HugePage);
        let skip = map.as_ptr().align_offset(HUGE_PAGE);
        // A mapping starts at a page: what is skipped is a page less than a huge one at most, and the slack remains.
        let start = NonNull::new(map.get_mut(skip..skip.checked_add(len)?.checked_add(SLACK)?)?.as_mut_ptr())?;
        Some(Memory { start, len, map: Some(Box::new(map)) })
    }
}

#[cfg(all(feature = "std", target_has_atomic = "64"))]
impl Memory {
    /// The first byte, aligned to 64, and the number of bytes, which [`SLACK`] zero bytes follow: for a caller that reaches
    /// them in another way. They may be written through the pointer as long as the memory is borrowed from no one else.
    #[cfg_attr(loom, allow(dead_code))]
    #[inline(always)]
    pub(crate) fn raw_parts(&self) -> (NonNull<u8>, usize) {
        (self.start, self.len)
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        #[cfg(all(feature = "huge-pages", unix))]
        if self.map.is_some() {
            return;
        }
        let lines =
            core::ptr::slice_from_raw_parts_mut(self.start.as_ptr().cast::<Line>(), self.len.div_ceil(64) + SLACK / 64);
        // SAFETY: without a map, `zeroed` made `start` of a box of this many lines, and nothing else frees it.
        drop(unsafe { Box::from_raw(lines) });
    }
}

impl AsRef<[u8]> for Memory {
    #[inline(always)]
    fn as_ref(&self) -> &[u8] {
        // SAFETY: `start` is the first of `len` initialised bytes that stay where they are as long as this value lives.
        unsafe { core::slice::from_raw_parts(self.start.as_ptr(), self.len) }
    }
}

impl AsMut<[u8]> for Memory {
    #[inline(always)]
    fn as_mut(&mut self) -> &mut [u8] {
        // SAFETY: as in `as_ref`; the exclusive borrow of `self` makes this the only reference.
        unsafe { core::slice::from_raw_parts_mut(self.start.as_ptr(), self.len) }
    }
}

impl Clone for Memory {
    fn clone(&self) -> Self {
        let mut copy = Memory::zeroed(self.len).expect("memory for a copy of the filter");
        copy.as_mut().copy_from_slice(self.as_ref());
        copy
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeroed_aligned_and_independent_copies() {
        for len in [0, 1, 64, 65, 4096, (4 << 20) + 64] {
            let mut memory = Memory::zeroed(len).unwrap();
            assert_eq!(memory.as_ref().len(), len);
            assert!(memory.as_ref().iter().all(|&b| b == 0));
            assert_eq!(memory.as_ref().as_ptr() as usize % 64, 0);
            let copy = memory.clone();
            memory.as_mut().fill(1);
            assert!(copy.as_ref().iter().all(|&b| b == 0));
        }
    }
}
