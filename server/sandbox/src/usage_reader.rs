//! Reads what a process tree uses, on a thread of its own: the kernel makes readers of some files in
//! `/proc` wait, while the tree must still be prevented from growing.

use std::io;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::tree::{self, Process};
use crate::usage_meter::Usage;
use crate::{memory, privileges};

pub struct UsageReader {
    requests: SyncSender<Vec<Process>>,
    readings: Receiver<Reading>,
}

pub struct Reading {
    pub usage: Usage,
    pub took: Duration,
}

impl UsageReader {
    /// Counts shared memory exactly when the tree is near this limit.
    pub fn start(memory_limit_bytes: u64) -> io::Result<Self> {
        // One request may wait: growth during a reading is read immediately afterwards.
        let (requests, requested) = sync_channel::<Vec<Process>>(1);
        let (sender, readings) = sync_channel(1);
        let read = move || {
            privileges::raise_priority();
            for processes in requested {
                let started_at = Instant::now();
                let usage = usage(&processes, memory_limit_bytes);
                if sender.send(Reading { usage, took: started_at.elapsed() }).is_err() {
                    return;
                }
            }
        };
        thread::Builder::new().name("usage".into()).spawn(read)?;
        Ok(Self { requests, readings })
    }

    /// Does nothing if another request is waiting: that one is going to be read after now, too.
    pub fn request(&self, processes: Vec<Process>) {
        let _ = self.requests.try_send(processes);
    }

    /// The next reading, if there is one.
    pub fn take(&self) -> Option<Reading> {
        self.readings.try_recv().ok()
    }
}

fn usage(processes: &[Process], memory_limit_bytes: u64) -> Usage {
    let own = rustix::process::getpid().as_raw_nonzero().get();
    let pids = processes.iter().map(|process| process.pid).chain([own]);
    Usage {
        memory_bytes: memory::used_bytes(processes, memory_limit_bytes),
        cpu: pids.filter_map(tree::cpu_time).sum(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usage_of_a_process_is_read() {
        let pid = i32::try_from(std::process::id()).unwrap();
        let reader = UsageReader::start(u64::MAX).unwrap();
        let reading = loop {
            reader.request(vec![tree::process(pid).unwrap()]);
            if let Some(reading) = reader.take() {
                break reading;
            }
            thread::yield_now();
        };
        assert!(reading.usage.memory_bytes > 0);
    }
}
