//! Where the bytes of a table live: zeroed, aligned to a cache line, on huge pages where that pays.

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

/// Keeps the bytes alive; they are reached through `Memory::start`.
enum Owner {
    Lines {
        _lines: Vec<Line>,
    },
    #[cfg(all(feature = "huge-pages", unix))]
    Mapped {
        _map: memmap2::MmapMut,
    },
}

/// The owned bytes of a filter's table. Opaque: it is named only as the default storage of
/// [`CuckooFilter`](crate::CuckooFilter).
pub struct Memory {
    start: NonNull<u8>,
    len: usize,
    _owner: Owner,
}

// SAFETY: `start` points into `_owner`, which is owned by this value alone and is itself Send and Sync.
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
        lines.try_reserve_exact(len.div_ceil(64)).ok()?;
        lines.resize(len.div_ceil(64), Line([0; 64]));
        let start = NonNull::new(lines.as_mut_ptr().cast::<u8>())?;
        Some(Memory { start, len, _owner: Owner::Lines { _lines: lines } })
    }

    #[cfg(all(feature = "huge-pages", unix))]
    fn mapped(len: usize) -> Option<Self> {
        let mut map = memmap2::MmapMut::map_anon(len.checked_add(HUGE_PAGE)?).ok()?;
        // Refused where the kernel has no huge pages: then the filter works on small ones.
        #[cfg(target_os = "linux")]
        let _ = map.advise(memmap2::Advice::HugePage);
        let skip = map.as_ptr().align_offset(HUGE_PAGE);
        let start = NonNull::new(map.get_mut(skip..skip.checked_add(len)?)?.as_mut_ptr())?;
        Some(Memory { start, len, _owner: Owner::Mapped { _map: map } })
    }
}

impl AsRef<[u8]> for Memory {
    #[inline(always)]
    fn as_ref(&self) -> &[u8] {
        // SAFETY: `start` is the first of `len` initialised bytes inside `_owner`, whose buffer never moves or grows.
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
