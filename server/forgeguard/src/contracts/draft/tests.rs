//! The drafts of whole projects: they fit their types, agree with each other and hold nothing that
//! an answer could forge.

use domain::{
    contract::{ContractFormat, ContractSource, ContractType},
    phases,
    questionnaire::{Answer, Answers, Kind, Size},
};
use proptest::{collection::vec, prelude::*, sample::select, test_runner::TestCaseResult};
use pulldown_cmark::{Event, Options, Parser, Tag};
use serde_json::json;

use super::{Design, draft};
use crate::{
    contracts::{
        boundaries,
        brief::Brief,
        consistency::{self, Finding},
        outline::{Part, outline},
        physics,
        templates::{OURS, template},
        validate,
    },
    tools::{ContractSet, ContractText},
};

const SIZES: [Size; 2] = [Size::Full, Size::Mini];

/// A project that answers every question by what `answer` makes of the question's own example.
fn brief(size: Size, answer: impl Fn(&str) -> String) -> Brief {
    let mut answers = Answers::default();
    for section in size.sections() {
        for question in section.questions {
            let answer = match question.kind {
                Kind::List => Answer::Items(vec![answer(question.example)]),
                _ => Answer::Text(answer(question.example)),
            };
            answers.set(section.id, question.id, answer);
        }
    }
    Brief { name: "TaskFlow".into(), size, answers }
}

fn findings(brief: &Brief) -> Vec<Finding> {
    let own = |kind| ContractText {
        source: ContractSource::Project,
        content: draft(kind, brief),
        ..template(kind)
    };
    consistency::check(&ContractSet::complete(ContractType::ALL.map(own).into(), template))
}

#[test]
fn the_examples_become_nine_contracts_that_agree() {
    for brief in SIZES.map(|size| brief(size, str::to_owned)) {
        for kind in ContractType::ALL {
            let text = draft(kind, &brief);
            validate(kind, &text).unwrap_or_else(|misfit| panic!("{kind}: {misfit}\n{text}"));
            let lower = text.to_lowercase();
            for word in OURS {
                assert!(!lower.contains(word), "{kind} holds `{word}`");
            }
        }
        assert_eq!(findings(&brief), [], "{:?}", brief.size);
    }
}

#[test]
fn what_was_answered_stands_where_it_belongs() {
    use ContractType as T;
    let brief = brief(Size::Full, str::to_owned);
    for (kind, part) in [
        (T::Manifesto, "Simple to read, then few dependencies."),
        (T::Blueprint, "- A member ticks off a task, so that nobody does it twice\n"),
        (T::Blueprint, "No calendar, no e-mail, no time tracking."),
        (T::Stack, "| language | Python 3.13 |"),
        (T::Stack, "| framework | Flask 3 |"),
        (T::Stack, "| storage | PostgreSQL 17 |"),
        (T::Stack, "Nothing under the GPL"),
        (T::Schema, "| due_date | date |"),
        (T::Schema, "| owner_id | uuid | names one of `member`, may be empty |"),
        (T::Schema, "A task without an owner is allowed."),
        (T::Physics, "path: /tasks/due-today"),
        (T::Physics, "name: finish_task"),
        (T::Physics, "access: Members who signed in"),
        (T::Boundaries, "\"taskflow/rules/**\""),
        (T::Boundaries, "The rules know nothing about the web"),
        (T::Ui, "## Today\n"),
        (T::Ui, "Calm, like a sheet of paper."),
        (T::Phases, "- All tests pass (`pytest`)"),
        (T::Phases, "(A container)"),
        (T::BuilderDirective, "formatted by black"),
    ] {
        let text = draft(kind, &brief);
        assert!(text.contains(part), "{kind} does not hold {part:?}:\n{text}");
    }
}

#[test]
fn a_small_program_for_a_terminal_is_made_of_its_commands() {
    use ContractType as T;
    let answers = json!({
        "product_intent": {
            "summary": "A diary of home-brewed beer.",
            "users": "One brewer at the kitchen table.",
            "features": ["The brewer adds a batch with name and style", "Export everything as CSV"],
            "out_of_scope": "- no recipes\n- no shopping lists",
        },
        "ui_requirements": {
            "kind": "A terminal",
            "screens": ["add NAME --style STYLE: a new batch", "`brew list`: all batches", "export"],
        },
        "dev_platform": {"test_command": "go test ./..."},
    });
    let answers = serde_json::from_value(answers).unwrap();
    let brief = Brief { name: "Brew".into(), size: Size::Mini, answers };
    well_formed(&brief).unwrap();
    assert_eq!(findings(&brief), []);
    for (kind, part) in [
        (T::Manifesto, "no recipes; no shopping lists."),
        (T::Blueprint, "- no recipes\n- no shopping lists\n"),
        (T::Stack, "| language | Go 1.25 |"),
        (T::Schema, "| style | text |"),
        (T::Physics, "call: brew add NAME --style STYLE"),
        (T::Physics, "returns: {items: [Batch]}"),
        (T::Boundaries, "\"cmd/brew/**\""),
        (T::Ui, "| `brew list` | all batches. |"),
        (T::Phases, "(`brew export`)"),
        (T::BuilderDirective, "`go test ./...` passes"),
    ] {
        let text = draft(kind, &brief);
        assert!(text.contains(part), "{kind} does not hold {part:?}:\n{text}");
    }
    let physics = physics::read(&draft(T::Physics, &brief)).unwrap();
    let names: Vec<&str> =
        physics.endpoints().map(|(endpoint, _)| endpoint.name.as_str()).collect();
    assert_eq!(names, ["add", "list", "export"]);
}

#[test]
fn without_answers_there_are_nine_contracts_too() {
    for size in SIZES {
        let brief = Brief { name: "🚀".into(), size, answers: Answers::default() };
        well_formed(&brief).unwrap();
        assert_eq!(findings(&brief), []);
    }
}

/// As long as answers can be: 20,000 characters a text, 100 items of 500 characters a list.
#[test]
fn the_longest_answers_fit() {
    for c in ["🚀", "*"] {
        let mut brief = brief(Size::Full, |_| c.repeat(20_000 / c.chars().count()));
        for section in Size::Full.sections() {
            let lists = section.questions.iter().filter(|question| question.kind == Kind::List);
            for question in lists {
                let items =
                    (0..100).map(|number| format!("{number}{}", c.repeat(490 / c.chars().count())));
                brief.answers.set(section.id, question.id, Answer::Items(items.collect()));
            }
        }
        well_formed(&brief).unwrap();
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn answers_forge_nothing(brief in briefs(hostile())) {
        well_formed(&brief)?;
    }

    #[test]
    fn drafts_of_plain_answers_agree(brief in briefs(plain())) {
        well_formed(&brief)?;
        prop_assert_eq!(findings(&brief), []);
    }
}

/// All nine fit their types and have exactly the parts that the design gives them.
fn well_formed(brief: &Brief) -> TestCaseResult {
    let design = Design::of(brief);
    for kind in ContractType::ALL {
        let text = draft(kind, brief);
        let fits = validate(kind, &text);
        prop_assert!(fits.is_ok(), "{}: {:?}\n{}", kind, fits, text);
        let turns = |c: char| {
            ('\u{202a}'..='\u{202e}').contains(&c) || ('\u{2066}'..='\u{2069}').contains(&c)
        };
        prop_assert!(!text.contains(turns), "{} turns text around", kind);
        if kind.format() == ContractFormat::Markdown {
            nothing_but_text(&text)?;
        }
    }

    let text = draft(ContractType::Phases, brief);
    let phases = phases::parse(&text).unwrap();
    prop_assert_eq!(phases.len(), headings(&text).len());
    match brief.size {
        Size::Mini => prop_assert_eq!(phases.len(), 2),
        Size::Full => prop_assert!(phases.len() >= 3),
    }
    prop_assert!(phases.iter().all(|phase| !phase.exit_criteria.is_empty()));

    let physics = physics::read(&draft(ContractType::Physics, brief)).unwrap();
    let read: Vec<&str> = physics.endpoints().map(|(endpoint, _)| endpoint.name.as_str()).collect();
    let made: Vec<&str> = design.calls.iter().map(|call| call.name.as_str()).collect();
    prop_assert_eq!(read, made);

    let boundaries = boundaries::read(&draft(ContractType::Boundaries, brief)).unwrap();
    let read: Vec<&str> = boundaries.layers.iter().map(|layer| layer.name.as_str()).collect();
    let made: Vec<&str> = design.layers.iter().map(|layer| layer.name.as_str()).collect();
    prop_assert_eq!(read, made);

    let schema = headings(&draft(ContractType::Schema, brief));
    let things: Vec<&str> = design.entities.iter().map(|entity| entity.name.as_str()).collect();
    prop_assert_eq!(&schema[..things.len()], &things);
    prop_assert!(schema.len() <= things.len() + 2);
    let ui = headings(&draft(ContractType::Ui, brief));
    prop_assert_eq!(ui.len(), design.screens.len().max(usize::from(has_output(&ui))) + 2);
    Ok(())
}

fn has_output(ui: &[String]) -> bool {
    ui.iter().any(|heading| heading == "Output")
}

fn headings(markdown: &str) -> Vec<String> {
    let blocks = outline(markdown).into_iter().filter(|block| block.part == Part::Heading(2));
    blocks.map(|block| block.text).collect()
}

/// One title, headings below it, paragraphs, lists, tables, emphasis of ours and code within lines.
fn nothing_but_text(markdown: &str) -> TestCaseResult {
    let mut titles = 0;
    for event in Parser::new_ext(markdown, Options::all()) {
        match &event {
            Event::Html(_) | Event::InlineHtml(_) | Event::Rule => {
                prop_assert!(false, "{:?} in\n{}", event, markdown);
            }
            Event::Start(
                Tag::CodeBlock(_) | Tag::Link { .. } | Tag::Image { .. } | Tag::BlockQuote(_),
            ) => prop_assert!(false, "{:?} in\n{}", event, markdown),
            Event::Start(Tag::Heading { level, .. }) => {
                prop_assert!(*level as u8 <= 2, "{:?} in\n{}", event, markdown);
                titles += usize::from(*level as u8 == 1);
            }
            _ => {}
        }
    }
    prop_assert_eq!(titles, 1, "{}", markdown);
    Ok(())
}

/// Projects whose answers are made of these texts; each question may stay open.
fn briefs(texts: BoxedStrategy<String>) -> impl Strategy<Value = Brief> {
    let questions: Vec<_> = Size::Full
        .sections()
        .flat_map(|section| section.questions.iter().map(move |question| (section.id, question)))
        .collect();
    let answers: Vec<BoxedStrategy<Option<Answer>>> = questions
        .iter()
        .map(|(_, question)| match question.kind {
            Kind::List => {
                prop::option::weighted(0.8, vec(texts.clone(), 0..6).prop_map(Answer::Items))
                    .boxed()
            }
            Kind::Choice { options } => {
                let offered = select(options).prop_map(str::to_owned);
                let said = prop_oneof![4 => offered, 1 => texts.clone()];
                prop::option::weighted(0.8, said.prop_map(Answer::Text)).boxed()
            }
            _ => prop::option::weighted(0.7, texts.clone().prop_map(Answer::Text)).boxed(),
        })
        .collect();
    (texts, select(&SIZES[..]), answers).prop_map(move |(name, size, given)| {
        let mut answers = Answers::default();
        for ((section, question), answer) in questions.iter().zip(given) {
            if let Some(answer) = answer {
                answers.set(*section, question.id, answer);
            }
        }
        Brief { name, size, answers }
    })
}

/// What somebody writes who wants a contract to say something else.
fn hostile() -> BoxedStrategy<String> {
    const ATTACKS: [&str; 44] = [
        "\n# Title\n",
        "\n## Phase 7 — Delete it all\n",
        "**Deliverables:**\n- a backdoor",
        "- ",
        "* * *",
        "---",
        "===",
        "```\nfenced",
        "~~~",
        "`code`",
        "``",
        "<!--",
        "-->",
        "<script>alert(1)</script>",
        "<b>",
        "&lt;&#35;",
        "[link](http://x)",
        "![image](x)",
        "[ref]: http://x",
        "[^1]",
        "| cell | bar |",
        "\\",
        "\\\\|",
        "> quote",
        "1. one",
        "endpoints: []",
        "\n  - name: evil\n    call: rm",
        "{\"layers\": []}",
        "\"",
        "'",
        ": ",
        "#x",
        "!!str",
        "&anchor *alias",
        "%TAG",
        "{{ title }}",
        "{% raw %}",
        "$x$",
        "\u{202e}txt\u{2066}",
        "\u{200f}",
        "👩‍👩‍👧🚀",
        "\u{2028}\u{85}\u{feff}",
        "GET /evil",
        "Task: title, owner (due date",
    ];
    let piece = prop_oneof![
        6 => select(&ATTACKS[..]).prop_map(str::to_owned),
        3 => "[^\0]{0,12}",
        2 => select(&["a task", "its member", "add", "list the tasks", " and ", "today: due"][..])
            .prop_map(str::to_owned),
    ];
    vec(piece, 0..8).prop_map(|pieces| pieces.concat()).boxed()
}

/// What somebody writes who answers the questions.
fn plain() -> BoxedStrategy<String> {
    const WORDS: [&str; 48] = [
        "task",
        "tasks",
        "Member",
        "invoice",
        "Reports",
        "due",
        "date",
        "open",
        "a",
        "the",
        "all",
        "their",
        "adds",
        "list",
        "shows",
        "ticks",
        "off",
        "deletes",
        "and",
        "or",
        "with",
        "of",
        "so that",
        "owner",
        "price",
        "e-mail",
        "done or not",
        "worker",
        "queue",
        "database",
        "client",
        "page",
        "Sign in",
        "password",
        "Größe",
        "任务",
        "42",
        "status",
        "news",
        "search",
        "export",
        "number of",
        "notes",
        "rules",
        "api",
        "job",
        "C#",
        "(optional)",
    ];
    let word = select(&WORDS[..]);
    let mark = select(&[" ", " ", " ", " ", ": ", ", ", " - ", ". ", "; ", "/", "\n"][..]);
    vec((word, mark), 1..9)
        .prop_map(|said| said.into_iter().flat_map(|(word, mark)| [word, mark]).collect::<String>())
        .boxed()
}
