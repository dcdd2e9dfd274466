//! Projects whose repositories may have to be repacked.

use std::{
    collections::VecDeque,
    sync::{Mutex, MutexGuard, PoisonError},
};

use domain::ids::ProjectId;
use tokio::sync::Notify;

/// A project beyond these is dropped; its next push adds it again.
const MAX_WAITING: usize = 256;

/// Projects with new objects, each at most once, in the order of their pushes.
#[derive(Debug, Default)]
pub(super) struct RepackQueue {
    waiting: Mutex<VecDeque<ProjectId>>,
    changed: Notify,
}

impl RepackQueue {
    pub(super) fn push(&self, project: ProjectId) {
        let mut waiting = self.lock();
        if waiting.len() < MAX_WAITING && !waiting.contains(&project) {
            waiting.push_back(project);
            self.changed.notify_one();
        }
    }

    pub(super) async fn pop(&self) -> ProjectId {
        loop {
            if let Some(project) = self.lock().pop_front() {
                return project;
            }
            self.changed.notified().await;
        }
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<ProjectId>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::new_id;

    #[tokio::test]
    async fn each_project_waits_once_and_the_queue_is_bounded() {
        let queue = RepackQueue::default();
        let (first, second): (ProjectId, ProjectId) = (new_id(), new_id());
        for project in [first, second, first] {
            queue.push(project);
        }
        assert_eq!((queue.pop().await, queue.pop().await), (first, second));
        assert!(queue.lock().is_empty());
        for _ in 0..=MAX_WAITING {
            queue.push(new_id());
        }
        assert_eq!(queue.lock().len(), MAX_WAITING);
    }

    #[tokio::test]
    async fn project_that_is_pushed_to_later_wakes_the_loop() {
        let queue = RepackQueue::default();
        let project = new_id();
        let push = async { queue.push(project) };
        assert_eq!(tokio::join!(queue.pop(), push).0, project);
    }
}
