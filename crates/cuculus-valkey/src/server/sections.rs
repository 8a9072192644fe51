//! Fields of the server's INFO.

use super::api;
use std::ffi::CStr;
use valkey_module::raw;

pub(crate) struct InfoSections(pub(crate) *mut raw::RedisModuleInfoCtx);

impl InfoSections {
    /// Begins a section.
    pub(crate) fn section(&self, name: &CStr) {
        // SAFETY: alive during the callback.
        unsafe { api!(RedisModule_InfoAddSection)(self.0, name.as_ptr()) };
    }

    pub(crate) fn number(&self, name: &CStr, value: u64) {
        // SAFETY: as above.
        unsafe { api!(RedisModule_InfoAddFieldULongLong)(self.0, name.as_ptr(), value) };
    }
}
