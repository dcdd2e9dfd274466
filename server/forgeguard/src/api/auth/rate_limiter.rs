//! Limits sign-in attempts per client address, per account, and per account and address.
//!
//! Attempts are counted when they begin, so that concurrent ones are all counted; failures at an
//! account are reset by a success. An account under attack slows down every address that has failed
//! at it, and no other: the account's owner can still sign in from another address.

use std::{
    num::{NonZeroU32, NonZeroUsize},
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use governor::{
    Quota, RateLimiter,
    clock::{Clock, MonotonicClock},
    middleware::StateInformationMiddleware,
    nanos::Nanos,
    state::StateStore,
};
use lru::LruCache;

use super::client_address::ClientAddress;

/// Failures of one address at one account before the first wait.
const FREE_FAILURES: u32 = 5;
/// The same at an account that is under attack.
const FREE_FAILURES_UNDER_ATTACK: u32 = 1;
/// Failures at an account, from all addresses, after which it counts as under attack.
const ATTACK_FAILURES: u32 = 20;
/// The first wait; each further failure doubles it.
const MIN_WAIT: Duration = Duration::from_secs(30);
const MAX_DOUBLINGS: u32 = 5;
/// Failures are forgotten after this time without another one.
const FAILURE_LIFETIME: Duration = Duration::from_secs(3_600);
/// Attempts of one address, at any accounts, before it has to wait.
const ADDRESS_BURST: NonZeroU32 = NonZeroU32::new(30).expect("more than zero");
/// The time after which an address may make one more attempt.
const ADDRESS_REFILL_INTERVAL: Duration = Duration::from_secs(2);
/// Entries of each kind; the least recently used are removed first.
const CAPACITY: NonZeroUsize = NonZeroUsize::new(10_000).expect("more than zero");

type Pair = (ClientAddress, String);

#[derive(Debug)]
pub struct LoginRateLimiter<C: Clock = MonotonicClock> {
    addresses: RateLimiter<ClientAddress, AddressStates, C, StateInformationMiddleware>,
    accounts: Mutex<Accounts>,
    clock: C,
}

/// An attempt that may be made.
#[derive(Clone, Debug)]
pub struct Attempt {
    pair: Pair,
    /// Which of the waiting attempts is verified first: the lowest. It is 0 if the address has
    /// signed in to this account before, otherwise the number of recent attempts of the address.
    pub priority: u32,
}

/// The state of each address, bounded by [`CAPACITY`].
#[derive(Debug)]
struct AddressStates(Mutex<LruCache<ClientAddress, Nanos>>);

#[derive(Debug)]
struct Accounts {
    failures: LruCache<String, Failures>,
    failures_by_address: LruCache<Pair, Failures>,
    /// Accounts and the addresses from which their owners have signed in.
    known: LruCache<Pair, ()>,
}

#[derive(Clone, Copy, Debug)]
struct Failures {
    count: u32,
    last: Instant,
}

impl Default for LoginRateLimiter {
    fn default() -> Self {
        Self::new(MonotonicClock)
    }
}

impl<C: Clock<Instant = Instant> + Clone> LoginRateLimiter<C> {
    fn new(clock: C) -> Self {
        let quota = Quota::with_period(ADDRESS_REFILL_INTERVAL).expect("more than zero");
        let states = AddressStates(Mutex::new(LruCache::new(CAPACITY)));
        let addresses = RateLimiter::new(quota.allow_burst(ADDRESS_BURST), states, clock.clone());
        let accounts = Accounts {
            failures: LruCache::new(CAPACITY),
            failures_by_address: LruCache::new(CAPACITY),
            known: LruCache::new(CAPACITY),
        };
        Self { addresses, accounts: Mutex::new(accounts), clock }
    }

    /// Counts an attempt from `address` at the account `email`, or returns how long to wait.
    pub fn begin(&self, address: ClientAddress, email: &str) -> Result<Attempt, Duration> {
        let now = self.clock.now();
        let pair = (address, email.to_owned());
        let mut accounts = self.accounts();
        let Accounts { failures, failures_by_address, known } = &mut *accounts;
        let all = failures.get_or_insert_mut(email.to_owned(), || Failures::none(now));
        let all = Failures::of(all, now);
        let own = failures_by_address.get_or_insert_mut(pair.clone(), || Failures::none(now));
        let own = Failures::of(own, now);
        let is_known = known.get(&pair).is_some();
        let free = match all.count >= ATTACK_FAILURES && !is_known {
            true => FREE_FAILURES_UNDER_ATTACK,
            false => FREE_FAILURES,
        };
        let wait = own.wait(free, now);
        if !wait.is_zero() {
            return Err(wait);
        }
        // An address that is being abused does not delay the other people who use it.
        let priority = match self.addresses.check_key(&address) {
            _ if is_known => 0,
            Ok(state) => ADDRESS_BURST.get() - state.remaining_burst_capacity(),
            Err(exceeded) => return Err(exceeded.wait_time_from(now)),
        };
        all.add(now);
        own.add(now);
        Ok(Attempt { pair, priority })
    }

    /// Counts an attempt from `address` that is at no account, or returns how long to wait.
    pub fn begin_without_account(&self, address: ClientAddress) -> Result<(), Duration> {
        let checked = self.addresses.check_key(&address);
        checked.map(|_| ()).map_err(|exceeded| exceeded.wait_time_from(self.clock.now()))
    }

    /// The password was correct: the failures of this address at the account are forgotten.
    pub fn succeeded(&self, attempt: &Attempt) {
        self.withdraw(attempt);
        let mut accounts = self.accounts();
        accounts.failures_by_address.pop(&attempt.pair);
        accounts.known.put(attempt.pair.clone(), ());
    }

    /// The attempt was no failure at the account, such as one whose password was not verified because
    /// too many attempts are waiting. It counts for the address, so that its next attempts have a
    /// lower priority.
    pub fn withdraw(&self, Attempt { pair, .. }: &Attempt) {
        let mut accounts = self.accounts();
        if let Some(all) = accounts.failures.peek_mut(&pair.1) {
            all.count = all.count.saturating_sub(1);
        }
        if let Some(own) = accounts.failures_by_address.peek_mut(pair) {
            own.count = own.count.saturating_sub(1);
        }
    }

    fn accounts(&self) -> MutexGuard<'_, Accounts> {
        self.accounts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl StateStore for AddressStates {
    type Key = ClientAddress;

    fn measure_and_replace<T, F, E>(&self, address: &ClientAddress, decide: F) -> Result<T, E>
    where
        F: Fn(Option<Nanos>) -> Result<(T, Nanos), E>,
    {
        let mut states = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (decision, state) = decide(states.get(address).copied())?;
        states.put(*address, state);
        Ok(decision)
    }
}

impl Failures {
    fn none(now: Instant) -> Self {
        Self { count: 0, last: now }
    }

    fn of(stored: &mut Self, now: Instant) -> &mut Self {
        if now.duration_since(stored.last) >= FAILURE_LIFETIME {
            *stored = Self::none(now);
        }
        stored
    }

    fn add(&mut self, now: Instant) {
        *self = Self { count: self.count.saturating_add(1), last: now };
    }

    /// How long the next attempt has to wait if `free` failures cause no wait.
    fn wait(&self, free: u32, now: Instant) -> Duration {
        let Some(excess) = self.count.checked_sub(free) else { return Duration::ZERO };
        let wait = MIN_WAIT * 2_u32.pow(excess.min(MAX_DOUBLINGS));
        wait.saturating_sub(now.duration_since(self.last))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[derive(Clone, Debug)]
    struct TestClock(Arc<Mutex<Instant>>);

    impl Clock for TestClock {
        type Instant = Instant;

        fn now(&self) -> Instant {
            *self.0.lock().unwrap()
        }
    }

    impl LoginRateLimiter<TestClock> {
        fn at_rest() -> Self {
            Self::new(TestClock(Arc::new(Mutex::new(Instant::now()))))
        }

        fn advance(&self, time: Duration) {
            *self.clock.0.lock().unwrap() += time;
        }

        fn attempt(&self, address: u32, email: &str) -> Result<Attempt, Duration> {
            let address = std::net::Ipv4Addr::from_bits(address);
            self.begin(ClientAddress::of(address.into()), email)
        }
    }

    #[test]
    fn sixth_failure_waits_and_each_further_one_twice_as_long() {
        let limiter = LoginRateLimiter::at_rest();
        for _ in 0..5 {
            assert!(limiter.attempt(1, "a@b").is_ok());
        }
        assert_eq!(limiter.attempt(1, "a@b").unwrap_err(), MIN_WAIT);
        assert!(limiter.attempt(1, "other@b").is_ok());
        for doublings in [0, 1, 2, 3, 4, 5, 5] {
            let wait = MIN_WAIT * 2_u32.pow(doublings);
            assert_eq!(limiter.attempt(1, "a@b").unwrap_err(), wait);
            limiter.advance(wait);
            assert!(limiter.attempt(1, "a@b").is_ok());
        }
        limiter.advance(FAILURE_LIFETIME);
        assert!(limiter.attempt(1, "a@b").is_ok());
    }

    #[test]
    fn success_clears_failures() {
        let limiter = LoginRateLimiter::at_rest();
        for _ in 0..200 {
            limiter.succeeded(&limiter.attempt(1, "a@b").unwrap());
        }
    }

    #[test]
    fn address_waits_after_failures_at_many_accounts() {
        let limiter = LoginRateLimiter::at_rest();
        limiter.succeeded(&limiter.attempt(1, "known@b").unwrap());
        for n in 1..ADDRESS_BURST.get() {
            assert!(limiter.attempt(1, &n.to_string()).is_ok());
        }
        assert_eq!(limiter.attempt(1, "one more").unwrap_err(), ADDRESS_REFILL_INTERVAL);
        assert!(limiter.attempt(2, "one more").is_ok());
        limiter.advance(ADDRESS_REFILL_INTERVAL);
        assert!(limiter.attempt(1, "one more").is_ok());
        assert_eq!(limiter.attempt(1, "known@b").unwrap().priority, 0);
    }

    #[test]
    fn account_under_attack_is_open_from_addresses_that_have_not_failed() {
        let limiter = LoginRateLimiter::at_rest();
        for from in 0..1_000 {
            assert!(limiter.attempt(from, "a@b").is_ok());
            assert!(from < ATTACK_FAILURES || limiter.attempt(from, "a@b").is_err());
        }
        limiter.succeeded(&limiter.attempt(2_000, "a@b").unwrap());
        assert!(limiter.attempt(2_000, "a@b").is_ok());
    }

    #[test]
    fn attempt_that_was_not_verified_counts_for_its_address_alone() {
        let limiter = LoginRateLimiter::at_rest();
        for n in 0..ADDRESS_BURST.get() {
            let attempt = limiter.attempt(1, "a@b").unwrap();
            assert_eq!(attempt.priority, n + 1);
            limiter.withdraw(&attempt);
        }
        assert_eq!(limiter.attempt(1, "a@b").unwrap_err(), ADDRESS_REFILL_INTERVAL);
        for _ in 0..FREE_FAILURES {
            assert_eq!(limiter.attempt(2, "a@b").unwrap().pair.1, "a@b");
        }
    }

    #[test]
    fn memory_is_bounded() {
        let limiter = LoginRateLimiter::at_rest();
        for n in 0..CAPACITY.get() as u32 + 50 {
            assert!(limiter.attempt(n, &n.to_string()).is_ok());
        }
        let accounts = limiter.accounts.into_inner().unwrap();
        assert_eq!(accounts.failures.len(), CAPACITY.get());
        assert_eq!(accounts.failures_by_address.len(), CAPACITY.get());
        assert_eq!(
            limiter.addresses.into_state_store().0.into_inner().unwrap().len(),
            CAPACITY.get()
        );
    }
}
