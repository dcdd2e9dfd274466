//! `search_code` over a large tree, beside `rg` on the same files where that is installed.
//!
//! Both search for lines in a few files only, so both read everything. The tool also keeps paths in
//! the worktree and checks permission rules for each file.

use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
    sync::Arc,
    time::Instant,
};

use domain::{
    contract::ContractSource,
    event::{
        agents::{Role, Task},
        phases::Mode,
    },
    step::step,
};
use forgeguard::{
    contract_set::{ContractSet, ContractText},
    store::{self, Db},
    tools::{self, ChangedFile, Commands, PhaseChanges, ToolContext, ToolReply, Worktree},
};
use sandbox::{Level, Policy, Runner};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::{Result, figures, fixture, options::Options, table::Measure};

/// Files of a folder.
const FOLDER: u64 = 100;
/// One in this many files matches.
const FOUND_IN: u64 = 1_000;
const PATTERN: &str = r"needle_\d+\(";

/// Milliseconds per search, with both.
pub async fn measure(options: &Options) -> Result<Vec<Measure>> {
    let files = options.amount(50_000, 5_000);
    let home = tempfile::tempdir()?;
    let tree = home.path().join("tree");
    plant(&tree, files)?;
    let context = context(home.path(), &tree).await?;
    let has_rg = Command::new("rg").arg("--version").stdout(Stdio::null()).status().is_ok();
    let (mut tool_ms, mut rg_ms) = (Vec::new(), Vec::new());
    for _ in 0..options.amount(11, 3) {
        let begun = Instant::now();
        let found = search(&context).await?;
        tool_ms.push(figures::ms(begun.elapsed()));
        if has_rg {
            let begun = Instant::now();
            let expected = rg(&tree)?;
            rg_ms.push(figures::ms(begun.elapsed()));
            if found != expected {
                return Err(format!("search_code finds {found} lines and rg {expected}").into());
            }
        }
    }
    context.db.close().await;
    let name = format!("search: search_code in {} files", figures::grouped(files as f64));
    let (tool, rg) = (figures::median(&tool_ms), figures::median(&rg_ms));
    Ok(vec![if has_rg {
        let value = format!("{tool:.0} ms beside {rg:.0} ms of rg");
        Measure::new(name, value).ratio(tool / rg).at_most(tool / rg, 3.0, "")
    } else {
        Measure::new(name, format!("{tool:.0} ms; rg is not installed"))
    }])
}

fn plant(tree: &Path, files: u64) -> Result<()> {
    for number in 0..files {
        let folder =
            tree.join(format!("part-{:03}/unit-{:02}", number / FOLDER / 10, number / FOLDER % 10));
        if number % FOLDER == 0 {
            fs::create_dir_all(&folder)?;
        }
        let mut text =
            format!("export const value_{number} = (shelf) => shelf.length;\n").repeat(30);
        if number % FOUND_IN == 0 {
            text += &format!("needle_{number}(shelf);\n");
        }
        fs::write(folder.join(format!("file-{number}.js")), text)?;
    }
    Ok(())
}

async fn search(context: &ToolContext) -> Result<usize> {
    let reply = tools::call(context, "search_code", json!({ "pattern": PATTERN })).await?;
    match reply {
        ToolReply::Done(done) if done.ok => Ok(done.output.lines().count()),
        other => Err(format!("the search failed: {other:?}").into()),
    }
}

fn rg(tree: &Path) -> Result<usize> {
    let options = ["--no-config", "--hidden", "--line-number", "--sort", "path", "--regexp"];
    let found = Command::new("rg").args(options).arg(PATTERN).current_dir(tree).output()?;
    Ok(found.stdout.iter().filter(|byte| **byte == b'\n').count())
}

/// The context of a coder in this tree.
async fn context(home: &Path, tree: &Path) -> Result<ToolContext> {
    let db = Db::open_file(&home.join("bench.db"), Db::DEFAULT_CONNECTIONS).await?;
    db.migrate().await?;
    let queued = fixture::queued(store::new_id());
    let contract = |kind| ContractText {
        kind,
        version: 0,
        source: ContractSource::Template,
        content: String::new(),
        updated_at: None,
    };
    let runner = Runner::new(home.join("runs"))?;
    let policy = Policy::new(Level::None, tree);
    Ok(ToolContext {
        build_id: store::new_id(),
        project_id: store::new_id(),
        run_id: store::new_id(),
        call_id: "call".to_owned(),
        resumed: false,
        role: Role::Coder,
        task: Task::Execute,
        phase: 0,
        mode: Mode::Execute,
        worktree: Arc::new(Worktree::open(tree)?),
        changes: Arc::new(NoChanges),
        contracts: Arc::new(ContractSet::complete(Vec::new(), contract)),
        state: Arc::new(step(None, 1, store::now(), &queued.into())?),
        db,
        has_read_contract: false,
        audit: Arc::default(),
        commands: Commands::new(runner, policy, CancellationToken::new(), Arc::new(|_| {})),
        permissions: Arc::new([]),
        copy: None,
    })
}

struct NoChanges;

impl PhaseChanges for NoChanges {
    fn paths(&self) -> Result<Vec<String>, String> {
        Ok(Vec::new())
    }

    fn files(&self) -> Result<Vec<ChangedFile>, String> {
        Ok(Vec::new())
    }

    fn diff(&self, _: &[String], _: usize) -> Result<String, String> {
        Ok(String::new())
    }

    fn original(&self, _: &str) -> Result<Option<Vec<u8>>, String> {
        Ok(None)
    }
}
