//! The backlog of a project: the states of its items, and the rules for their dependencies.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{state::Status, verdict::Verdict};

/// Items per project.
pub const MAX_ITEMS: usize = 500;
/// Globs per item.
pub const MAX_SCOPE: usize = 50;
/// Direct dependencies per item.
pub const MAX_DEPENDENCIES: usize = 50;
/// Items named in a warning about scopes.
pub const MAX_OVERLAPS: usize = 10;

/// What is to be done with an item, in the order of the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ItemState {
    /// It has no build, or its build was cancelled.
    Queued,
    Running,
    /// It cannot start or continue without a user, or its build was sealed as FLAGGED.
    NeedsYou,
    /// Its build is sealed and waits for approval.
    InReview,
    /// Its build is approved, or its pull request merged.
    Done,
}

/// What the state of an item follows from.
#[derive(Clone, Copy, Debug, Default)]
pub struct ItemFacts {
    /// Of its build, if it has one.
    pub build: Option<BuildFacts>,
    /// Whether its build could not be started.
    pub has_start_error: bool,
}

#[derive(Clone, Copy, Debug)]
pub struct BuildFacts {
    pub status: Status,
    /// Set when it is sealed.
    pub verdict: Option<Verdict>,
    pub open_questions: u32,
    /// Whether enough reviewers approved it.
    pub is_approved: bool,
    /// Whether its pull request was merged.
    pub is_merged: bool,
}

impl BuildFacts {
    /// Whether items that depend on this build may start.
    pub fn satisfies_dependents(&self) -> bool {
        self.status == Status::Sealed && self.verdict.is_some_and(|it| it != Verdict::Flagged)
    }
}

impl ItemFacts {
    pub fn state(&self) -> ItemState {
        let build = self.build.filter(|build| build.status != Status::Abandoned);
        match build {
            _ if self.has_start_error => ItemState::NeedsYou,
            None => ItemState::Queued,
            Some(build) if build.status != Status::Sealed => {
                let waits = matches!(
                    build.status,
                    Status::AwaitingInput | Status::Paused | Status::Blocked
                );
                if waits || build.open_questions > 0 {
                    ItemState::NeedsYou
                } else {
                    ItemState::Running
                }
            }
            Some(build) if build.is_approved || build.is_merged => ItemState::Done,
            Some(build) if build.satisfies_dependents() => ItemState::InReview,
            Some(_) => ItemState::NeedsYou,
        }
    }

    /// Whether a start can be requested: the first one, or another attempt.
    pub fn is_startable(&self) -> bool {
        self.build.is_none_or(|build| {
            build.status == Status::Abandoned
                || (build.status == Status::Sealed
                    && build.verdict == Some(Verdict::Flagged)
                    && !build.is_approved
                    && !build.is_merged)
        })
    }
}

/// A cycle that the dependencies of `item` would close: from the item back to itself. `edges` are the
/// dependencies of the other items; those of `item` are replaced.
pub fn cycle<T: Copy + Ord>(
    item: T,
    depends_on: &[T],
    edges: impl IntoIterator<Item = (T, T)>,
) -> Option<Vec<T>> {
    let mut targets: BTreeMap<T, Vec<T>> = BTreeMap::new();
    for (from, to) in edges.into_iter().filter(|(from, _)| *from != item) {
        targets.entry(from).or_default().push(to);
    }
    let mut reached_from: BTreeMap<T, T> = BTreeMap::new();
    let mut waiting: Vec<T> = Vec::new();
    for next in depends_on {
        if !reached_from.contains_key(next) {
            reached_from.insert(*next, item);
            waiting.push(*next);
        }
    }
    while let Some(at) = waiting.pop() {
        if at == item {
            return Some(path_back(item, &reached_from));
        }
        for next in targets.get(&at).into_iter().flatten() {
            if !reached_from.contains_key(next) {
                reached_from.insert(*next, at);
                waiting.push(*next);
            }
        }
    }
    None
}

fn path_back<T: Copy + Ord>(item: T, reached_from: &BTreeMap<T, T>) -> Vec<T> {
    let mut path = vec![item];
    let mut at = item;
    while let Some(before) = reached_from.get(&at) {
        path.push(*before);
        if *before == item {
            break;
        }
        at = *before;
    }
    path.reverse();
    path
}

/// The commit that a build of an item starts from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Baseline<T> {
    /// The default branch, which contains the work of all dependencies.
    DefaultBranch,
    /// The branch of this dependency, which contains the work of those that are not merged.
    BranchOf(T),
    /// No branch contains the work of all of them: these must be merged first.
    MergeFirst(Vec<T>),
}

/// Chooses the baseline of an item. `unmerged` are its dependencies that the default branch does not
/// contain, and `contains(a, b)` says whether the branch of `a` contains the work of `b`.
pub fn baseline<T: Copy + PartialEq>(
    unmerged: &[T],
    contains: impl Fn(T, T) -> bool,
) -> Baseline<T> {
    let contains_all =
        |branch: T| unmerged.iter().all(|other| *other == branch || contains(branch, *other));
    match unmerged.iter().copied().find(|branch| contains_all(*branch)) {
        _ if unmerged.is_empty() => Baseline::DefaultBranch,
        Some(branch) => Baseline::BranchOf(branch),
        None => Baseline::MergeFirst(unmerged.to_vec()),
    }
}

/// Items that may change the same files, for each item at most [`MAX_OVERLAPS`] others: a glob of each
/// begins with the same folder or name. An item without globs may change any file, which is no reason
/// for a warning.
pub fn overlaps<'a, T: Copy + Ord + 'a>(
    scopes: impl IntoIterator<Item = (T, &'a [String])>,
) -> BTreeMap<T, BTreeSet<T>> {
    let mut prefixes: Vec<(&str, T)> = Vec::new();
    for (item, globs) in scopes {
        prefixes.extend(globs.iter().map(|glob| (literal_prefix(glob), item)));
    }
    prefixes.sort_unstable();
    prefixes.dedup();
    let mut found: BTreeMap<T, BTreeSet<T>> = BTreeMap::new();
    // Those with which the current prefix begins: sorted texts follow their prefixes.
    let mut outer: Vec<(&str, T)> = Vec::new();
    for (prefix, item) in prefixes {
        while outer.last().is_some_and(|(before, _)| !prefix.starts_with(before)) {
            outer.pop();
        }
        for (_, other) in outer.iter().rev().take(MAX_OVERLAPS).filter(|(_, it)| *it != item) {
            for (one, with) in [(item, *other), (*other, item)] {
                let with_one = found.entry(one).or_default();
                if with_one.len() < MAX_OVERLAPS {
                    with_one.insert(with);
                }
            }
        }
        outer.push((prefix, item));
    }
    found
}

/// Whether builds with these scopes may change the same files, as in [`overlaps`].
pub fn may_overlap(one: &[String], other: &[String]) -> bool {
    one.iter().map(|glob| literal_prefix(glob)).any(|one| {
        let mut others = other.iter().map(|glob| literal_prefix(glob));
        others.any(|other| one.starts_with(other) || other.starts_with(one))
    })
}

fn literal_prefix(glob: &str) -> &str {
    let end = glob.find(['*', '?', '[', '{']).unwrap_or(glob.len());
    glob[..end].trim_start_matches("./")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn build(status: Status, verdict: Option<Verdict>) -> BuildFacts {
        BuildFacts { status, verdict, open_questions: 0, is_approved: false, is_merged: false }
    }

    fn state(build: BuildFacts) -> ItemState {
        ItemFacts { build: Some(build), has_start_error: false }.state()
    }

    #[test]
    fn state_follows_from_the_build() {
        assert_eq!(ItemFacts::default().state(), ItemState::Queued);
        let failed = ItemFacts { build: None, has_start_error: true };
        assert_eq!(failed.state(), ItemState::NeedsYou);
        for (status, expected) in [
            (Status::Queued, ItemState::Running),
            (Status::Running, ItemState::Running),
            (Status::Retrying, ItemState::Running),
            (Status::Sealing, ItemState::Running),
            (Status::AwaitingInput, ItemState::NeedsYou),
            (Status::Paused, ItemState::NeedsYou),
            (Status::Blocked, ItemState::NeedsYou),
            (Status::Abandoned, ItemState::Queued),
        ] {
            assert_eq!(state(build(status, None)), expected, "{status:?}");
        }
        let asking = BuildFacts { open_questions: 1, ..build(Status::Running, None) };
        assert_eq!(state(asking), ItemState::NeedsYou);
        let sealed = |verdict| build(Status::Sealed, Some(verdict));
        assert_eq!(state(sealed(Verdict::Certified)), ItemState::InReview);
        assert_eq!(state(sealed(Verdict::Conditional)), ItemState::InReview);
        assert_eq!(state(sealed(Verdict::Flagged)), ItemState::NeedsYou);
        for verdict in [Verdict::Certified, Verdict::Flagged] {
            assert_eq!(state(BuildFacts { is_approved: true, ..sealed(verdict) }), ItemState::Done);
            assert_eq!(state(BuildFacts { is_merged: true, ..sealed(verdict) }), ItemState::Done);
        }
    }

    #[test]
    fn another_attempt_is_possible_after_a_cancelled_or_flagged_build() {
        let startable =
            |build| ItemFacts { build: Some(build), has_start_error: false }.is_startable();
        assert!(ItemFacts::default().is_startable());
        assert!(startable(build(Status::Abandoned, None)));
        assert!(startable(build(Status::Sealed, Some(Verdict::Flagged))));
        assert!(!startable(build(Status::Sealed, Some(Verdict::Certified))));
        assert!(!startable(build(Status::Running, None)));
    }

    #[test]
    fn cycle_is_reported_as_a_path() {
        let edges = [(2, 3), (3, 1), (4, 2)];
        assert_eq!(cycle(1, &[4], edges), Some(vec![1, 4, 2, 3, 1]));
        assert_eq!(cycle(1, &[1], []), Some(vec![1, 1]));
        assert_eq!(cycle(4, &[3], edges), None);
        // Only the new dependencies of the item count.
        assert_eq!(cycle(3, &[], edges), None);
    }

    #[test]
    fn baseline_is_the_branch_that_contains_all_unmerged_dependencies() {
        let chain = |a: u8, b: u8| a >= b;
        assert_eq!(baseline(&[], chain), Baseline::DefaultBranch);
        assert_eq!(baseline(&[1], |_, _| false), Baseline::BranchOf(1));
        assert_eq!(baseline(&[1, 3, 2], chain), Baseline::BranchOf(3));
        assert_eq!(baseline(&[1, 2], |_, _| false), Baseline::MergeFirst(vec![1, 2]));
    }

    #[test]
    fn scopes_overlap_if_one_is_within_the_folder_of_the_other() {
        for (one, other, expected) in [
            (&["src/**"][..], &["src/a.rs"][..], true),
            (&["src/a/**"], &["src/b/**", "src/a/x.rs"], true),
            (&["src/a/**"], &["src/b/**"], false),
            (&["**/*.md"], &["src/**"], true),
            (&["./docs/*.md"], &["docs/**"], true),
            (&[], &["src/**"], false),
        ] {
            let scope =
                |globs: &[&str]| globs.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>();
            let (one, other) = (scope(one), scope(other));
            let found = overlaps([(1, one.as_slice()), (2, other.as_slice())]);
            assert_eq!(found.contains_key(&1), expected, "{one:?} {other:?}");
            assert_eq!(may_overlap(&one, &other), expected, "{one:?} {other:?}");
            assert_eq!(may_overlap(&other, &one), expected, "{one:?} {other:?}");
            assert_eq!(found.get(&1).is_some_and(|with| with.contains(&2)), expected);
            assert_eq!(found.get(&2).is_some_and(|with| with.contains(&1)), expected);
        }
    }

    proptest! {
        /// Edges that are added only where no cycle is found leave an order in which every item comes
        /// after what it depends on, and a reported path exists.
        #[test]
        fn graph_stays_acyclic(wanted in prop::collection::vec((0_u8..30, 0_u8..30), 0..120)) {
            let mut edges: Vec<(u8, u8)> = Vec::new();
            for (from, to) in wanted {
                let own: Vec<u8> = edges.iter().filter(|(it, _)| *it == from).map(|(_, it)| *it).collect();
                let all = [own.as_slice(), &[to]].concat();
                match cycle(from, &all, edges.iter().copied()) {
                    None => edges.push((from, to)),
                    Some(path) => {
                        prop_assert_eq!((path.first(), path.last()), (Some(&from), Some(&from)));
                        let exists = |step: &[u8]| (step[0], step[1]) == (from, to)
                            || edges.contains(&(step[0], step[1]));
                        prop_assert!(path.windows(2).all(exists), "{:?}", path);
                    }
                }
            }
            let mut left: BTreeSet<u8> = (0..30).collect();
            while !left.is_empty() {
                let free = left.iter().copied()
                    .find(|item| edges.iter().all(|(from, to)| from != item || !left.contains(to)));
                prop_assert!(free.is_some(), "{:?}", edges);
                left.remove(&free.unwrap());
            }
        }
    }
}
