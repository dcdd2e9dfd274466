//! Limits on concurrent pushes, in total and per account.

use std::sync::{Arc, Mutex, PoisonError};

use domain::ids::UserId;
use git::pack::PackLimits;

/// So that one account cannot prevent others from pushing.
const MAX_PUSHES_PER_ACCOUNT: usize = 4;

/// Limits for users' pushes, and for imports.
#[derive(Clone, Copy, Debug)]
pub struct PushLimits {
    /// Size of a push.
    pub max_size: u64,
    /// Limits on the expanded pack.
    pub pack: PackLimits,
    /// Pushes that are received concurrently.
    pub max_concurrent: usize,
    /// Size of what is received from a remote repository.
    pub max_import: u64,
}

impl Default for PushLimits {
    fn default() -> Self {
        const MIB: u64 = 1024 * 1024;
        let pack = PackLimits { max_object_size: 128 * MIB, max_expanded: 16_384 * MIB };
        Self { max_size: 512 * MIB, pack, max_concurrent: 16, max_import: 2048 * MIB }
    }
}

/// The pushes that are being received.
#[derive(Debug)]
pub(super) struct PushSlots {
    max_concurrent: usize,
    users: Mutex<Vec<UserId>>,
}

/// A slot for one push, released on drop.
#[derive(Debug)]
pub struct PushSlot {
    slots: Arc<PushSlots>,
    user: UserId,
}

impl PushSlots {
    pub(super) fn new(max_concurrent: usize) -> Self {
        Self { max_concurrent, users: Mutex::default() }
    }

    /// `None` if all slots are taken.
    pub(super) fn take(self: &Arc<Self>, user: UserId) -> Option<PushSlot> {
        let mut users = self.users.lock().unwrap_or_else(PoisonError::into_inner);
        let own = users.iter().filter(|other| **other == user).count();
        if users.len() >= self.max_concurrent || own >= MAX_PUSHES_PER_ACCOUNT {
            return None;
        }
        users.push(user);
        Some(PushSlot { slots: self.clone(), user })
    }
}

impl Drop for PushSlot {
    fn drop(&mut self) {
        let mut users = self.slots.users.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = users.iter().position(|user| *user == self.user) {
            users.swap_remove(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::new_id;

    #[test]
    fn slots_are_refused_beyond_the_limits_and_given_back_on_drop() {
        let slots = Arc::new(PushSlots::new(MAX_PUSHES_PER_ACCOUNT + 1));
        let (first, second, third) = (new_id(), new_id(), new_id());
        let mut held: Vec<_> =
            (0..MAX_PUSHES_PER_ACCOUNT).map(|_| slots.take(first).expect("a slot")).collect();
        assert!(slots.take(first).is_none(), "one account has all that it may have");
        let other = slots.take(second).expect("another account still pushes");
        assert!(slots.take(third).is_none(), "all are taken");
        drop(other);
        assert!(slots.take(first).is_none(), "the account's own limit still holds");
        held.pop();
        held.push(slots.take(first).expect("a slot that was given back"));
        assert!(slots.take(third).is_some());
    }
}
