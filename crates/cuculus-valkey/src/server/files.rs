//! RDB and AOF: a value to pieces of bytes and back.

use super::api;
use std::ffi::CStr;
use valkey_module::raw;

/// Bytes of one piece: small enough to be compressed and sent without a second copy of the whole.
const PIECE: usize = 8 << 20;

/// The RDB being written.
pub(crate) struct RdbWriter(pub(crate) *mut raw::RedisModuleIO);

impl RdbWriter {
    pub(crate) fn number(&self, value: u64) {
        // SAFETY: alive during the callback.
        unsafe { api!(RedisModule_SaveUnsigned)(self.0, value) };
    }

    /// Any number of bytes: pieces, then an empty one.
    pub(crate) fn bytes(&self, bytes: &[u8]) {
        for piece in bytes.chunks(PIECE).chain([&[][..]]) {
            // SAFETY: alive during the callback; pointer and length are a slice's.
            unsafe { api!(RedisModule_SaveStringBuffer)(self.0, piece.as_ptr().cast(), piece.len()) };
        }
    }
}

/// The RDB being read. Every method is `None` where the file ends or is damaged.
pub(crate) struct RdbReader(pub(crate) *mut raw::RedisModuleIO);

impl RdbReader {
    fn checked<T>(&self, value: T) -> Option<T> {
        // SAFETY: alive during the callback.
        (unsafe { api!(RedisModule_IsIOError)(self.0) } == 0).then_some(value)
    }

    pub(crate) fn number(&self) -> Option<u64> {
        // SAFETY: as above.
        self.checked(unsafe { api!(RedisModule_LoadUnsigned)(self.0) })
    }

    /// What [`RdbWriter::bytes`] wrote, at most `most` bytes of it.
    pub(crate) fn bytes(&self, most: u64) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        loop {
            let mut len = 0;
            // SAFETY: as above; the buffer is ours to free.
            let piece = unsafe { api!(RedisModule_LoadStringBuffer)(self.0, &mut len) };
            if piece.is_null() {
                return None;
            }
            let fits = len as u64 <= most.saturating_sub(bytes.len() as u64) && bytes.try_reserve(len).is_ok();
            // SAFETY: `len` bytes are there.
            unsafe {
                if fits {
                    bytes.extend_from_slice(std::slice::from_raw_parts(piece.cast(), len));
                }
                api!(RedisModule_Free)(piece.cast());
            }
            self.checked(())?;
            match (fits, len) {
                (false, _) => return None,
                (true, 0) => return Some(bytes),
                (true, _) => {}
            }
        }
    }

    /// Whether a primary or our own disk is what is read: then limits do not matter.
    pub(crate) fn must_obey(&self) -> bool {
        let obeyed = raw::REDISMODULE_CTX_FLAGS_LOADING | raw::REDISMODULE_CTX_FLAGS_SLAVE;
        // SAFETY: as above.
        let flags = unsafe { api!(RedisModule_GetContextFlags)(api!(RedisModule_GetContextFromIO)(self.0)) };
        flags as u32 & (obeyed | raw::REDISMODULE_CTX_FLAGS_ASYNC_LOADING) != 0
    }

    /// Says in the server's log why a value was refused.
    pub(crate) fn complain(&self, why: &str) {
        let Ok(text) = std::ffi::CString::new(why) else { return };
        // SAFETY: as above; the format takes one text.
        unsafe {
            api!(RedisModule_LogIOError)(self.0, c"warning".as_ptr(), c"%s".as_ptr(), text.as_ptr());
        }
    }
}

/// The AOF being rewritten, for one key.
pub(crate) struct AofWriter {
    pub(crate) io: *mut raw::RedisModuleIO,
    pub(crate) key: *mut raw::RedisModuleString,
}

impl AofWriter {
    /// `COMMAND key position bytes`.
    pub(crate) fn chunk(&self, command: &CStr, position: u64, bytes: &[u8]) {
        // SAFETY: alive during the callback; the format names the types that follow.
        unsafe {
            api!(RedisModule_EmitAOF)(
                self.io,
                command.as_ptr(),
                c"slb".as_ptr(),
                self.key,
                position as std::ffi::c_longlong,
                bytes.as_ptr(),
                bytes.len(),
            );
        }
    }
}
