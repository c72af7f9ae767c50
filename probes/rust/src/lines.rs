//! Memory that does not hang on the luck of one cache line.

use crate::api::Setup;
use crate::{ffi, Error, Outcome};
use std::mem::{align_of, size_of};
use std::ptr::{drop_in_place, null_mut};

/// Two adjacent lines, which Intel's prefetcher moves together.
#[repr(align(128))]
#[derive(Default)]
pub struct LinePair<T>(pub T);

pub const LINE_PAIR: usize = 128;
const PAGE: usize = 4096;

/// A pool of cells, each on pages of its own and each at another offset within its first page, touched by the thread
/// that makes the pool.
pub struct Lines<T> {
    start: *mut u8,
    bytes: usize,
    made: usize,
    _cells: std::marker::PhantomData<T>,
}

unsafe impl<T: Send> Send for Lines<T> {}
unsafe impl<T: Sync> Sync for Lines<T> {}

impl<T> Lines<T> {
    const FOOTPRINT: usize = size_of::<T>().next_multiple_of(LINE_PAIR);
    /// At least half a page to choose an offset from.
    const STRIDE: usize = (Self::FOOTPRINT + PAGE / 2).next_multiple_of(PAGE);

    /// One for each line of the trial.
    pub fn new(setup: &Setup, make: impl Fn() -> Outcome<T>) -> Outcome<Self> {
        assert!(align_of::<T>() <= LINE_PAIR);
        let count = setup.lines();
        let bytes = count * Self::STRIDE;
        setup.claim(bytes, c"the cells", c"ask for fewer lines or threads, or for a smaller buffer")?;
        let (access, flags) = (ffi::PROT_READ | ffi::PROT_WRITE, ffi::MAP_PRIVATE | ffi::MAP_ANONYMOUS);
        let start = unsafe { ffi::mmap(null_mut(), bytes, access, flags, -1, 0) };
        if start == ffi::MAP_FAILED {
            return Err(Error::refused(
                "No memory for the lines",
                "raise the limit (ulimit -v), or ask for fewer lines",
            ));
        }
        unsafe { ffi::madvise(start, bytes, ffi::MADV_NOHUGEPAGE) }; // refused where there are no huge pages
        let mut lines: Self = Lines { start: start.cast(), bytes, made: 0, _cells: std::marker::PhantomData };
        for index in 0..count {
            unsafe { lines.place(index).write(make()?) };
            lines.made += 1;
        }
        Ok(lines)
    }

    pub fn all(&self) -> impl Iterator<Item = &T> {
        (0..self.made).map(|index| &self[index])
    }

    pub fn memory(&self) -> *const u8 {
        self.start
    }

    fn place(&self, index: usize) -> *mut T {
        let offsets = ((Self::STRIDE - Self::FOOTPRINT) / LINE_PAIR + 1).min(PAGE / LINE_PAIR);
        unsafe { self.start.add(index * Self::STRIDE + index % offsets * LINE_PAIR).cast() }
    }
}

impl<T> std::ops::Index<usize> for Lines<T> {
    type Output = T;
    fn index(&self, index: usize) -> &T {
        assert!(index < self.made);
        unsafe { &*self.place(index) }
    }
}

impl<T> Drop for Lines<T> {
    fn drop(&mut self) {
        for index in 0..self.made {
            unsafe { drop_in_place(self.place(index)) };
        }
        unsafe { ffi::munmap(self.start.cast(), self.bytes) };
    }
}
