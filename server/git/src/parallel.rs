//! Work on many files with several threads, which share what is mostly time of the system well.

use std::{num::NonZero, thread};

use crate::error::GitError;

const MAX_THREADS: usize = 4;

/// The length of the parts of this many items: one part for each thread, none shorter than `least`.
pub(crate) fn part_length(items: usize, least: usize) -> usize {
    let threads = thread::available_parallelism().map_or(1, NonZero::get).min(MAX_THREADS);
    items.div_ceil(threads).max(least)
}

/// Works on the parts of `items` at the same time, and returns the results in their order.
pub(crate) fn in_parts<T: Sync, R: Send>(
    items: &[T],
    part_length: usize,
    work: impl Fn(&[T]) -> Result<R, GitError> + Sync,
) -> Result<Vec<R>, GitError> {
    let work = &work;
    let mut parts = items.chunks(part_length);
    let Some(first) = parts.next() else { return Ok(Vec::new()) };
    thread::scope(|scope| {
        let others: Vec<_> = parts.map(|part| scope.spawn(move || work(part))).collect();
        let mut results = vec![work(first)?];
        for other in others {
            let result = other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            results.push(result?);
        }
        Ok(results)
    })
}
