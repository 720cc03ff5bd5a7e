//! The memory of this process, as the operating system counts it.

/// Bytes of memory that the process has; `None` where that is not known.
#[cfg(target_os = "linux")]
pub(crate) fn resident() -> Option<usize> {
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: usize = text.split(' ').nth(1)?.parse().ok()?;
    // Pages are larger on some machines, so this is the least that it can be.
    Some(pages * 4096)
}

/// Bytes of memory that the process has; `None` where that is not known.
#[cfg(not(target_os = "linux"))]
pub(crate) fn resident() -> Option<usize> {
    None
}
