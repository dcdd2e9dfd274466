//! Commits as people see them: title, author, size.

use git2::{Diff, DiffOptions, Oid, Repository, Sort};
use serde::Serialize;
use utoipa::ToSchema;

use crate::{
    error::GitError,
    message::{self, BOT_EMAIL, TITLE_PREFIX},
    sha::Sha,
};

/// Files above this many bytes count as binary: their lines are neither counted nor shown.
pub(crate) const MAX_TEXT_BYTES: i64 = 4 * 1024 * 1024;

/// Who made a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum AuthorKind {
    /// ForgeGuard itself.
    Forge,
    /// A person.
    Human,
}

/// One commit, compared with its first parent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct Commit {
    /// Its id.
    #[schema(value_type = String)]
    pub sha: Sha,
    /// Its first parent; None for the first commit of all.
    #[schema(value_type = Option<String>)]
    pub parent: Option<Sha>,
    /// First line of the message.
    pub title: String,
    /// As written in the commit.
    pub author_name: String,
    /// By address and title.
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

/// What `head` has and `base` has not, newest first.
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

/// A commit of ForgeGuard with all of these trailers; one by a person never counts.
pub(crate) fn carries(commit: &git2::Commit<'_>, trailers: &[(&str, &str)]) -> bool {
    author_kind(commit) == AuthorKind::Forge
        && message::has_trailers(&String::from_utf8_lossy(commit.message_raw_bytes()), trailers)
}

/// Two trees compared, the same way everywhere.
pub(crate) fn changes<'a>(
    repository: &'a Repository,
    old: Option<&git2::Tree<'_>>,
    new: Option<&git2::Tree<'_>>,
    context: u32,
) -> Result<Diff<'a>, GitError> {
    let mut options = DiffOptions::new();
    options.context_lines(context).max_size(MAX_TEXT_BYTES).include_typechange(true);
    Ok(repository.diff_tree_to_tree(old, new, Some(&mut options))?)
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
