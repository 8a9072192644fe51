//! Memory from the server, so that it counts, limits and reports it. A failure is handed to the caller, who can refuse a
//! command, where the server's own functions would end the process.

use std::alloc::{GlobalAlloc, Layout};
use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicPtr, Ordering};
use valkey_module::raw;

/// What the server's allocator aligns to everywhere; more is arranged here.
const NATURAL: usize = 8;

pub(crate) struct ServerAlloc;

type TryCalloc = unsafe extern "C" fn(usize, usize) -> *mut c_void;

/// `RedisModule_TryCalloc`, which Redis 7.0 has not got.
static TRY_CALLOC: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());

/// Looks for the functions that only newer servers have. Call it once the API is there.
pub(crate) fn find_newer_functions() {
    let mut found: *mut c_void = std::ptr::null_mut();
    // SAFETY: GetApi writes a function pointer, or nothing, to the place it is given.
    let status: c_int = unsafe {
        match raw::RedisModule_GetApi {
            Some(get) => get(c"RedisModule_TryCalloc".as_ptr(), (&raw mut found).cast()),
            None => 1,
        }
    };
    if status == 0 {
        TRY_CALLOC.store(found, Ordering::Release);
    }
}

unsafe fn plain(size: usize) -> *mut u8 {
    // SAFETY: the server sets these pointers once, before any other code of the module runs.
    unsafe {
        match (raw::RedisModule_TryAlloc, raw::RedisModule_Alloc) {
            (Some(alloc), _) | (None, Some(alloc)) => alloc(size).cast(),
            (None, None) => std::process::abort(),
        }
    }
}

unsafe fn zeroed(size: usize) -> *mut u8 {
    let try_calloc = TRY_CALLOC.load(Ordering::Acquire);
    // SAFETY: as above; the stored pointer came from the server under this name, so it has this type.
    unsafe {
        if !try_calloc.is_null() {
            return std::mem::transmute::<*mut c_void, TryCalloc>(try_calloc)(1, size).cast();
        }
        // The server ends when its calloc fails: see first whether there is as much.
        let probe = plain(size);
        if probe.is_null() {
            return probe;
        }
        free(probe);
        match raw::RedisModule_Calloc {
            Some(calloc) => calloc(1, size).cast(),
            None => std::process::abort(),
        }
    }
}

unsafe fn free(start: *mut u8) {
    // SAFETY: as above; `start` came from the server.
    unsafe {
        if let Some(free) = raw::RedisModule_Free {
            free(start.cast());
        }
    }
}

/// Where an over-aligned block begins for the program; what the server gave is noted just before.
unsafe fn align(start: *mut u8, alignment: usize) -> *mut u8 {
    if start.is_null() {
        return start;
    }
    let skip = alignment - start as usize % alignment;
    // SAFETY: the block has `alignment` spare bytes, and `skip`, a multiple of 8 like both addresses, is 8 at least.
    unsafe {
        let aligned = start.add(skip);
        aligned.cast::<*mut u8>().sub(1).write(start);
        aligned
    }
}

// SAFETY: blocks come from the server's allocator, are as large as asked and aligned as asked, and go back to it.
unsafe impl GlobalAlloc for ServerAlloc {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: sizes of layouts do not overflow when rounded up to their alignment.
        unsafe {
            match layout.align() <= NATURAL {
                true => plain(layout.size()),
                false => align(plain(layout.size() + layout.align()), layout.align()),
            }
        }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as in `alloc`.
        unsafe {
            match layout.align() <= NATURAL {
                true => zeroed(layout.size()),
                false => align(zeroed(layout.size() + layout.align()), layout.align()),
            }
        }
    }

    unsafe fn dealloc(&self, start: *mut u8, layout: Layout) {
        // SAFETY: an over-aligned block has the server's pointer just before it.
        unsafe {
            match layout.align() <= NATURAL {
                true => free(start),
                false => free(start.cast::<*mut u8>().sub(1).read()),
            }
        }
    }
}
