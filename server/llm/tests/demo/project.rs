//! A copy of the demo project, with the tools that the scenario calls.

use std::{
    collections::BTreeMap,
    fs,
    path::Path,
    process::{Command, Output},
};

use llm::Reply;
use regex::Regex;
use serde_json::Value;
use tempfile::TempDir;

use crate::bundle::{Phase, contracts, files_below, phases, project_files};

/// Texts and first tool of a run.
#[derive(Default)]
pub struct Outcome {
    pub first_tool: String,
    /// The input of the call that ended it.
    pub end: Option<Value>,
    /// Steps that were finished.
    pub steps: Vec<u64>,
}

pub struct DemoProject {
    folder: TempDir,
    answer: String,
    scope: Vec<String>,
    scratchpad: BTreeMap<String, String>,
    pub questions: usize,
    pub tests_ran: bool,
    pub checked_syntax: bool,
}

const READ: [&str; 3] = ["read_file", "list_directory", "search_code"];
const CONTEXT: [&str; 2] = ["forge_get_project_contract", "forge_scratchpad"];
const EXECUTE: [&str; 7] = [
    "write_file",
    "edit_file",
    "check_syntax",
    "run_tests",
    "run_command",
    "finish_step",
    "finish_phase",
];
/// Tools that end a run.
const ENDING: [&str; 3] = ["submit_plan", "finish_phase", "sign_off"];

impl Outcome {
    pub fn record(&mut self, reply: &Reply) {
        if let (true, Some(call)) = (self.first_tool.is_empty(), reply.tool_calls.first()) {
            self.first_tool = call.name.clone();
        }
        let end = reply.tool_calls.iter().find(|call| ENDING.contains(&call.name.as_str()));
        self.end = end.map(|call| call.input.clone());
        let steps = reply.tool_calls.iter().filter(|call| call.name == "finish_step");
        self.steps.extend(steps.filter_map(|call| call.input["step"].as_u64()));
    }
}

impl DemoProject {
    pub fn new(answer: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in project_files() {
            write(&folder.path().join(path), &text);
        }
        Self {
            folder,
            answer: answer.into(),
            scope: Vec::new(),
            scratchpad: BTreeMap::new(),
            questions: 0,
            tests_ran: false,
            checked_syntax: false,
        }
    }

    pub fn begin(&mut self, phase: &Phase) {
        self.scope = phase.scope.clone();
        (self.tests_ran, self.checked_syntax) = (false, false);
    }

    pub fn root(&self) -> &Path {
        self.folder.path()
    }

    pub fn read(&self, path: &str) -> String {
        fs::read_to_string(self.root().join(path)).unwrap()
    }

    pub fn files(&self) -> Vec<String> {
        files_below(self.root())
    }

    /// Runs the project's gate. The error is its output.
    pub fn gate(&self) -> Result<String, String> {
        passed(self.shell("node --test"))
    }

    /// The due date of a book lent on this day, from the built module.
    pub fn due_day(&self, since: &str) -> String {
        let script =
            format!("import('./src/due.js').then((due) => console.log(due.dueDate('{since}')))");
        passed(self.shell(&format!("node -e \"{script}\""))).unwrap().trim().to_owned()
    }

    /// Executes a tool call. An error means that the scenario would fail in a real build.
    pub fn call(&mut self, label: &str, tool: &str, input: &Value) -> Result<String, String> {
        let role = label.rsplit_once('/').unwrap().1;
        if !may_call(role, tool) {
            return Err(format!("{role} has no tool `{tool}`"));
        }
        let text = |field: &str| input[field].as_str().ok_or(format!("`{field}` is missing"));
        match tool {
            "read_file" => fs::read_to_string(self.root().join(text("path")?))
                .map_err(|error| error.to_string()),
            "list_directory" => Ok(files_below(&self.root().join(text("path")?)).join("\n")),
            "search_code" => self.search(text("pattern")?, text("path")?),
            "write_file" => self.write_file(text("path")?, text("content")?),
            "edit_file" => self.edit_file(text("path")?, text("old_text")?, text("new_text")?),
            "check_syntax" => {
                self.checked_syntax = true;
                passed(self.shell(&format!("node --check {}", text("path")?)))
            }
            "run_tests" => {
                self.tests_ran = true;
                self.gate()
            }
            "run_command" => passed(self.shell(text("command")?)),
            "forge_get_project_contract" => contract(text("contract_type")?),
            "forge_get_phase_brief" => {
                let number = input["phase_number"].as_u64().ok_or("`phase_number` is missing")?;
                let from = phases().into_iter().skip(number as usize).take(2);
                Ok(from.map(|phase| phase.text).collect())
            }
            "forge_scratchpad" => self.scratchpad(text("operation")?, text("key")?, input),
            "forge_ask_clarification" => self.ask(text("question")?, text("context")?, input),
            "finish_step" => Ok("Finished.".into()),
            _ => Err(format!("there is no tool `{tool}`")),
        }
    }

    fn search(&self, pattern: &str, path: &str) -> Result<String, String> {
        let regex = Regex::new(pattern).map_err(|error| error.to_string())?;
        let mut hits = String::new();
        for file in files_below(&self.root().join(path)) {
            for (index, line) in self.read(&format!("{path}/{file}")).lines().enumerate() {
                if regex.is_match(line) {
                    hits.push_str(&format!("{path}/{file}:{}: {line}\n", index + 1));
                }
            }
        }
        if hits.is_empty() { Err("nothing found".into()) } else { Ok(hits) }
    }

    fn write_file(&self, path: &str, content: &str) -> Result<String, String> {
        self.check_scope(path)?;
        if !content.ends_with('\n') || content.lines().any(|line| line.chars().count() > 100) {
            return Err("the file has an over-long line or no end of line".into());
        }
        write(&self.root().join(path), content);
        Ok(format!("wrote {path}"))
    }

    fn edit_file(&self, path: &str, old: &str, new: &str) -> Result<String, String> {
        self.check_scope(path)?;
        let content = self.read(path);
        match content.matches(old).count() {
            1 => self.write_file(path, &content.replacen(old, new, 1)),
            count => Err(format!("`old_text` occurs {count} times in {path}")),
        }
    }

    fn check_scope(&self, path: &str) -> Result<(), String> {
        let fits = |glob: &String| match glob.strip_suffix("**") {
            Some(folder) => path.starts_with(folder),
            None => path == glob,
        };
        if self.scope.iter().any(fits) { Ok(()) } else { Err(format!("{path} is out of scope")) }
    }

    fn scratchpad(&mut self, operation: &str, key: &str, input: &Value) -> Result<String, String> {
        match operation {
            "write" => {
                let value = input["value"].as_str().ok_or("`value` is missing")?;
                self.scratchpad.insert(key.into(), value.into());
                Ok("kept".into())
            }
            "read" => self.scratchpad.get(key).cloned().ok_or(format!("no note `{key}`")),
            _ => Err(format!("unexpected operation `{operation}`")),
        }
    }

    fn ask(&mut self, question: &str, context: &str, input: &Value) -> Result<String, String> {
        self.questions += 1;
        let options = input["options"].as_array().ok_or("`options` is missing")?;
        let fits = question.chars().count() <= 200
            && context.chars().count() <= 300
            && (2..=4).contains(&options.len());
        if !fits {
            return Err("the question does not fit the card".into());
        }
        Ok(format!("{question}\n{context}\nAnswer: {}", self.answer))
    }

    #[allow(clippy::disallowed_methods, reason = "the demo's tests are real processes")]
    fn shell(&self, command: &str) -> Output {
        Command::new("sh")
            .args(["-c", command])
            .current_dir(self.root())
            .env_remove("NODE_TEST_CONTEXT")
            // Node.js would parse all of them each time it starts, which takes longer than the tests.
            .env_remove("NODE_EXTRA_CA_CERTS")
            .output()
            .expect("a shell")
    }
}

fn may_call(role: &str, tool: &str) -> bool {
    let one_of = |lists: &[&[&str]]| lists.iter().any(|list| list.contains(&tool));
    let asks = ["forge_get_phase_brief", "forge_ask_clarification"];
    match role {
        "scout" => one_of(&[&READ, &CONTEXT, &asks]),
        "plan" => one_of(&[&READ, &CONTEXT, &asks, &["submit_plan"]]),
        "execute" => one_of(&[&READ, &CONTEXT, &asks, &EXECUTE]),
        "audit" => one_of(&[&READ, &CONTEXT, &["sign_off"]]),
        _ => one_of(&[&READ, &["edit_file", "check_syntax", "forge_scratchpad", "finish_phase"]]),
    }
}

fn contract(kind: &str) -> Result<String, String> {
    let found = contracts().into_iter().find(|(name, _)| name.split('.').next() == Some(kind));
    found.map(|(_, text)| text).ok_or(format!("there is no contract `{kind}`"))
}

fn passed(output: Output) -> Result<String, String> {
    let printed = [output.stdout, output.stderr].concat();
    let printed = String::from_utf8_lossy(&printed).into_owned();
    if output.status.success() { Ok(printed) } else { Err(printed) }
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}
