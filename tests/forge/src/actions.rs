//! What requests do: the status and the fields of their replies.

use serde_json::{Value, json};

use crate::{
    document::Operation,
    state::{Kind, Pull, State},
};

pub(crate) fn perform(
    state: &mut State,
    operation: &Operation<'_>,
    query: &[(String, String)],
    body: Option<&Value>,
) -> (u16, Value) {
    let argument = |index: usize| operation.arguments.get(index).map_or("", String::as_str);
    let parameter =
        |name: &str| query.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str());
    let body = body.unwrap_or(&Value::Null);
    // Arguments of GitLab begin with the project.
    let first = usize::from(state.kind == Kind::GitLab);
    match operation.name.as_str() {
        "get /pulls" | "get /projects/{id}/merge_requests" => {
            let head = parameter("head").or(parameter("source_branch")).unwrap_or_default();
            let head = head.rsplit(':').next().unwrap_or_default();
            let found = state.pulls.iter().filter(|pull| pull.head == head);
            (200, found.map(|pull| shown(state, pull)).collect())
        }
        "post /pulls" | "post /projects/{id}/merge_requests" => create(state, body),
        "get /pulls/{index}"
        | "get /pulls/{pull_number}"
        | "get /projects/{id}/merge_requests/{merge_request_iid}" => {
            match find(state, argument(first)) {
                Some(index) => (200, shown(state, &state.pulls[index])),
                None => (404, json!({ "message": "not found" })),
            }
        }
        "get /issues/{index}"
        | "get /issues/{issue_number}"
        | "get /projects/{id}/issues/{issue_iid}" => issue(state, argument(first)),
        "put /projects/{id}/merge_requests/{merge_request_iid}" => {
            let index = find(state, argument(first)).expect("a known number");
            let pull = &mut state.pulls[index];
            if let Some(labels) = body["add_labels"].as_str() {
                pull.labels.extend(labels.split(',').map(str::to_owned));
            }
            pull.reviewers.extend(strings(&body["reviewer_ids"]));
            (200, shown(state, &state.pulls[index]))
        }
        "post /issues/{index}/labels" | "post /issues/{issue_number}/labels" => {
            let index = find(state, argument(0)).expect("a known number");
            state.pulls[index].labels.extend(strings(&body["labels"]));
            (200, json!([]))
        }
        "post /pulls/{index}/requested_reviewers"
        | "post /pulls/{pull_number}/requested_reviewers" => {
            let index = find(state, argument(0)).expect("a known number");
            state.pulls[index].reviewers.extend(strings(&body["reviewers"]));
            let reply = match state.kind {
                Kind::GitHub => shown(state, &state.pulls[index]),
                _ => json!([]),
            };
            (201, reply)
        }
        "post /statuses/{sha}" | "post /projects/{id}/statuses/{sha}" => {
            let context = body["context"].as_str().or(body["name"].as_str()).unwrap_or_default();
            let result = body["state"].as_str().unwrap_or_default();
            state.statuses.push((
                argument(first).to_owned(),
                context.to_owned(),
                result.to_owned(),
            ));
            (201, json!({}))
        }
        "get /commits/{ref}/status" => {
            let field = if state.kind == Kind::GitHub { "state" } else { "status" };
            let statuses: Vec<Value> = of_commit(state, argument(0))
                .map(|(context, result)| json!({ "context": context, field: result }))
                .collect();
            (200, json!({ "statuses": statuses }))
        }
        "get /projects/{id}/repository/commits/{sha}/statuses" => {
            let statuses = of_commit(state, argument(first));
            (
                200,
                statuses.map(|(name, status)| json!({ "name": name, "status": status })).collect(),
            )
        }
        "get /commits/{ref}/check-runs" => {
            let run = json!({ "name": "build", "status": "in_progress", "conclusion": null });
            (200, json!({ "total_count": 1, "check_runs": [run] }))
        }
        "get /users" => (200, json!([{ "id": 7, "username": parameter("username") }])),
        _ => (200, page(comments(state, &operation.name, argument(first)), query)),
    }
}

/// The part of a list that the query asks for. A list without such parameters is returned whole.
fn page(list: Value, query: &[(String, String)]) -> Value {
    let number = |names: &[&str]| -> Option<usize> {
        let given = query.iter().find(|(name, _)| names.contains(&name.as_str()));
        given.and_then(|(_, value)| value.parse().ok())
    };
    match (list, number(&["per_page", "limit"])) {
        (Value::Array(items), Some(size)) => {
            let skipped = (number(&["page"]).unwrap_or(1) - 1) * size;
            items.into_iter().skip(skipped).take(size).collect()
        }
        (list, _) => list,
    }
}

fn create(state: &mut State, body: &Value) -> (u16, Value) {
    let text = |names: [&str; 2]| {
        names.iter().find_map(|name| body[*name].as_str()).unwrap_or_default().to_owned()
    };
    let (head, base) = (text(["head", "source_branch"]), text(["base", "target_branch"]));
    let (exists, missing) = match state.kind {
        Kind::GitHub => (422, 422),
        Kind::Forgejo => (409, 404),
        Kind::GitLab => (409, 400),
    };
    let complaint = |message: String| match state.kind {
        Kind::GitHub => json!({ "message": "Validation Failed", "documentation_url": "",
            "errors": [{ "code": "custom", "message": message }] }),
        Kind::Forgejo => json!({ "message": message }),
        Kind::GitLab => json!({ "message": [message] }),
    };
    if state.git.head(&head).is_none() || state.git.head(&base).is_none() {
        return (missing, complaint("a branch does not exist".to_owned()));
    }
    if state.pulls.iter().any(|pull| pull.head == head && pull.is_open) {
        return (exists, complaint(format!("A pull request already exists for {head}.")));
    }
    let title = text(["title", "title"]);
    let is_marked = ["WIP: ", "Draft: "].iter().any(|prefix| title.starts_with(prefix));
    let pull = Pull {
        number: state.pulls.len() as u64 + 1,
        title,
        body: text(["body", "description"]),
        head,
        base,
        draft: is_marked || body["draft"] == true,
        is_open: true,
        is_merged: false,
        labels: Vec::new(),
        reviewers: Vec::new(),
        comments: Vec::new(),
    };
    let reply = shown(state, &pull);
    state.pulls.push(pull);
    (201, reply)
}

/// A pull request as the forge describes it.
fn shown(state: &State, pull: &Pull) -> Value {
    let sha = state.git.head(&pull.head).unwrap_or_default();
    let address = &state.address;
    if state.kind == Kind::GitLab {
        let result = match (pull.is_merged, pull.is_open) {
            (true, _) => "merged",
            (_, true) => "opened",
            _ => "closed",
        };
        return json!({
            "iid": pull.number, "state": result, "draft": pull.draft, "title": pull.title,
            "web_url": format!("http://{address}/me/shelf/-/merge_requests/{}", pull.number),
            "source_branch": pull.head, "target_branch": pull.base, "sha": sha,
        });
    }
    let page = if state.kind == Kind::GitHub { "pull" } else { "pulls" };
    let mut shown = json!({
        "number": pull.number, "title": pull.title, "body": pull.body, "draft": pull.draft,
        "state": if pull.is_open { "open" } else { "closed" },
        "html_url": format!("http://{address}/me/shelf/{page}/{}", pull.number),
        "head": { "ref": pull.head, "sha": sha },
        "base": { "ref": pull.base },
    });
    shown["merged"] = json!(pull.is_merged);
    if pull.is_merged {
        shown["merged_at"] = json!("2026-01-01T00:00:00Z");
    }
    shown
}

fn issue(state: &State, number: &str) -> (u16, Value) {
    let found = state.issues.iter().find(|(known, ..)| known.to_string() == number);
    let Some((number, title, body)) = found else {
        return (404, json!({ "message": "not found" }));
    };
    let address = &state.address;
    let shown = match state.kind {
        Kind::GitLab => json!({
            "iid": number, "title": title, "description": body, "state": "opened",
            "web_url": format!("http://{address}/me/shelf/-/issues/{number}"),
        }),
        Kind::GitHub | Kind::Forgejo => {
            // Forgejo's are never null.
            let body = match (state.kind, body) {
                (Kind::Forgejo, None) => json!(""),
                (_, body) => json!(body),
            };
            json!({
                "number": number, "title": title, "body": body, "state": "open",
                "html_url": format!("http://{address}/me/shelf/issues/{number}"),
            })
        }
    };
    (200, shown)
}

fn comments(state: &State, operation: &str, number: &str) -> Value {
    let index = find(state, number).expect("a known number");
    let comments = state.pulls[index].comments.iter().enumerate();
    let user = |author: &String| {
        if state.kind == Kind::Forgejo { json!({ "login": author }) } else { Value::Null }
    };
    match (operation.rsplit('/').next(), state.kind) {
        (Some("discussions"), _) => comments
            .map(|(id, (author, body, at))| {
                let author = json!({ "id": 7, "username": author });
                let mut note = json!({ "id": id, "author": author, "body": body, "system": false });
                if let Some((path, line)) = at {
                    note["position"] = json!({ "new_path": path, "new_line": line });
                }
                json!({ "notes": [note] })
            })
            .collect(),
        (Some("comments"), _) => comments
            .filter_map(|(id, (author, body, at))| {
                let (path, line) = at.as_ref()?;
                let field = if state.kind == Kind::GitHub { "line" } else { "position" };
                let mut comment = json!({ "id": id, "body": body, "path": path, field: line });
                if state.kind == Kind::Forgejo {
                    comment["user"] = user(author);
                }
                Some(comment)
            })
            .collect(),
        // A review for each comment on the whole, after one with all comments on lines.
        (_, Kind::Forgejo) => {
            let count = comments.clone().filter(|(_, (.., at))| at.is_some()).count();
            let on_lines = json!({ "id": 0, "body": "", "comments_count": count });
            let whole = comments.filter(|(_, (.., at))| at.is_none());
            let reviews = whole.map(|(id, (author, body, _))| {
                json!({ "id": id + 1, "body": body, "comments_count": 0, "user": user(author) })
            });
            std::iter::once(on_lines).filter(|_| count > 0).chain(reviews).collect()
        }
        _ => comments
            .filter(|(_, (.., at))| at.is_none())
            .map(|(id, (_, body, _))| json!({ "id": id, "body": body }))
            .collect(),
    }
}

fn of_commit<'a>(state: &'a State, sha: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
    let own = state.statuses.iter().filter(move |(of, ..)| of == sha);
    own.map(|(_, context, result)| (context.as_str(), result.as_str()))
}

fn find(state: &State, number: &str) -> Option<usize> {
    state.pulls.iter().position(|pull| pull.number.to_string() == number)
}

fn strings(value: &Value) -> Vec<String> {
    let items = value.as_array().into_iter().flatten();
    items.map(|item| item.as_str().map_or_else(|| item.to_string(), str::to_owned)).collect()
}
