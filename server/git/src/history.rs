//! Commit summaries: title, author, size.

use std::collections::BTreeSet;

use git2::{Diff, DiffOptions, Oid, Repository, Sort};
use serde::Serialize;
use utoipa::ToSchema;

use crate::{
    error::GitError,
    message::{self, BOT_EMAIL, TITLE_PREFIX},
    sha::Sha,
};

/// Larger files are treated as binary: their lines are neither counted nor shown.
pub(crate) const MAX_TEXT_BYTES: i64 = 4 * 1024 * 1024;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum AuthorKind {
    /// ForgeGuard itself.
    Forge,
    /// A user.
    Human,
}

/// One commit, compared with its first parent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct Commit {
    #[schema(value_type = String)]
    pub sha: Sha,
    /// Its first parent; `None` for a root commit.
    #[schema(value_type = Option<String>)]
    pub parent: Option<Sha>,
    /// First line of the message.
    pub title: String,
    /// As written in the commit.
    pub author_name: String,
    /// Determined by email address and title.
    pub author_kind: AuthorKind,
    /// Author's time, Unix seconds.
    pub at: i64,
    /// Files changed.
    pub files: usize,
    /// Lines added.
    pub insertions: usize,
    /// Lines removed.
    pub deletions: usize,
}

/// Commits of `head` that `base` does not have, newest first.
pub(crate) fn between(repository: &Repository, base: Oid, head: Oid) -> Result<Vec<Oid>, GitError> {
    let mut walk = repository.revwalk()?;
    walk.set_sorting(Sort::TOPOLOGICAL | Sort::TIME)?;
    walk.push(head)?;
    walk.hide(base)?;
    Ok(walk.collect::<Result<_, _>>()?)
}

pub(crate) fn describe(repository: &Repository, oid: Oid) -> Result<Commit, GitError> {
    let commit = repository.find_commit(oid)?;
    let parent = commit.parents().next();
    let before = parent.as_ref().map(git2::Commit::tree).transpose()?;
    let diff = changes(repository, before.as_ref(), Some(&commit.tree()?), 0)?;
    let stats = diff.stats()?;
    let author = commit.author();
    Ok(Commit {
        sha: oid.into(),
        parent: parent.map(|parent| parent.id().into()),
        title: title(&commit),
        author_name: String::from_utf8_lossy(author.name_bytes()).into_owned(),
        author_kind: author_kind(&commit),
        at: author.when().seconds(),
        files: stats.files_changed(),
        insertions: stats.insertions(),
        deletions: stats.deletions(),
    })
}

/// Email addresses of the authors, committers and co-authors (`Co-authored-by` trailers) of these
/// commits, in lower case.
pub(crate) fn author_emails(
    repository: &Repository,
    commits: &[Oid],
) -> Result<BTreeSet<String>, GitError> {
    let mut emails = BTreeSet::new();
    for oid in commits {
        let commit = repository.find_commit(*oid)?;
        for person in [commit.author(), commit.committer()] {
            emails.insert(String::from_utf8_lossy(person.email_bytes()).to_lowercase());
        }
        let message = String::from_utf8_lossy(commit.message_raw_bytes()).to_lowercase();
        let trailers = message.lines().filter(|line| line.starts_with("co-authored-by:"));
        let named = trailers.filter_map(|line| line.rsplit_once('<')?.1.split_once('>'));
        emails.extend(named.map(|(email, _)| email.trim().to_owned()));
    }
    Ok(emails)
}

/// Whether ForgeGuard made the commit and it has all of these trailers.
pub(crate) fn carries(commit: &git2::Commit<'_>, trailers: &[(&str, &str)]) -> bool {
    author_kind(commit) == AuthorKind::Forge
        && message::has_trailers(&String::from_utf8_lossy(commit.message_raw_bytes()), trailers)
}

/// Compares two trees with the options used throughout.
pub(crate) fn changes<'a>(
    repository: &'a Repository,
    old: Option<&git2::Tree<'_>>,
    new: Option<&git2::Tree<'_>>,
    context: u32,
) -> Result<Diff<'a>, GitError> {
    changes_with(repository, old, new, DiffOptions::new().context_lines(context))
}

/// As [`changes`], with these options too.
pub(crate) fn changes_with<'a>(
    repository: &'a Repository,
    old: Option<&git2::Tree<'_>>,
    new: Option<&git2::Tree<'_>>,
    options: &mut DiffOptions,
) -> Result<Diff<'a>, GitError> {
    let options = options.max_size(MAX_TEXT_BYTES).include_typechange(true);
    Ok(repository.diff_tree_to_tree(old, new, Some(options))?)
}

fn author_kind(commit: &git2::Commit<'_>) -> AuthorKind {
    let by_bot = commit.author().email_bytes() == BOT_EMAIL.as_bytes();
    match by_bot && title(commit).starts_with(TITLE_PREFIX) {
        true => AuthorKind::Forge,
        false => AuthorKind::Human,
    }
}

fn title(commit: &git2::Commit<'_>) -> String {
    String::from_utf8_lossy(commit.summary_bytes().unwrap_or_default()).into_owned()
}
