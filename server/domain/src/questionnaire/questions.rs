//! The questions themselves.

use super::form::{Kind, Question, Section, SectionId, Size};

const TEXT: Kind = Kind::Text;
const LINE: Kind = Kind::Line;
const LIST: Kind = Kind::List;

impl Size {
    /// The sections that are asked, in order.
    pub fn sections(self) -> impl Iterator<Item = Section> {
        let asked = move |id: &SectionId| match self {
            Self::Full => true,
            Self::Mini => matches!(
                id,
                SectionId::ProductIntent | SectionId::UiRequirements | SectionId::DevPlatform
            ),
        };
        SectionId::ALL.into_iter().filter(asked).map(SectionId::section)
    }
}

impl SectionId {
    /// The section with its questions.
    pub fn section(self) -> Section {
        section(self)
    }
}

fn section(id: SectionId) -> Section {
    let (title, about, questions): (_, _, &'static [Question]) = match id {
        SectionId::ProductIntent => {
            ("What it is", "What should exist in the end, for whom, and what for.", PRODUCT_INTENT)
        }
        SectionId::TechStack => {
            ("Technology", "What it is written with. Leave open what you do not mind.", TECH_STACK)
        }
        SectionId::DatabaseSchema => (
            "What it keeps",
            "The things it remembers, and how they belong together.",
            DATABASE_SCHEMA,
        ),
        SectionId::ApiEndpoints => {
            ("What others can call", "How programs and people reach what it does.", API_ENDPOINTS)
        }
        SectionId::UiRequirements => {
            ("What people see", "Screens, or the commands that people type.", UI_REQUIREMENTS)
        }
        SectionId::ArchitecturalBoundaries => (
            "Boundaries",
            "Which parts there are, and what each must know nothing about.",
            ARCHITECTURAL_BOUNDARIES,
        ),
        SectionId::DeploymentTarget => {
            ("Where it runs", "What it must get along with once it is in use.", DEPLOYMENT_TARGET)
        }
        SectionId::DevPlatform => {
            ("Development", "How it is built and tested, and by which habits.", DEV_PLATFORM)
        }
    };
    Section { id, title, about, questions }
}

const PRODUCT_INTENT: &[Question] = &[
    Question {
        id: "summary",
        label: "What should it do?",
        help: "A few sentences, as you would tell a colleague. What is there afterwards that is missing today?",
        example: "TaskFlow keeps the tasks of a small team. Everybody sees what is due today, \
            takes a task, and ticks it off. It replaces a shared spreadsheet.",
        kind: TEXT,
        required: true,
    },
    Question {
        id: "users",
        label: "Who will use it?",
        help: "Kinds of people or programs, and what each of them comes for.",
        example: "Members, who do tasks. A team lead, who adds them and looks at what is late.",
        kind: TEXT,
        required: true,
    },
    Question {
        id: "features",
        label: "What must they be able to do?",
        help: "One line for each: who does what, and why. The most important first.",
        example: "A member ticks off a task, so that it is not done twice",
        kind: LIST,
        required: true,
    },
    Question {
        id: "out_of_scope",
        label: "What should it leave alone?",
        help: "What users might expect but will not get. This limits the work.",
        example: "No calendar, no e-mail, no time tracking.",
        kind: TEXT,
        required: false,
    },
    Question {
        id: "success",
        label: "How will you know that it works?",
        help: "What you would try first, and what would have to happen.",
        example: "I add a task with a date, and the next morning it stands on top of the page.",
        kind: TEXT,
        required: false,
    },
];

const TECH_STACK: &[Question] = &[
    Question {
        id: "language",
        label: "Which programming language?",
        help: "The main one. If you do not mind, say so, and one that fits is chosen.",
        example: "Python",
        kind: Kind::Choice {
            options: &["No preference", "TypeScript", "Python", "Go", "Java", "C#", "Rust"],
        },
        required: true,
    },
    Question {
        id: "frameworks",
        label: "Which frameworks and libraries?",
        help: "One for each line, with the version where it matters. Empty: what is usual.",
        example: "Flask 3",
        kind: LIST,
        required: false,
    },
    Question {
        id: "avoid",
        label: "What must not be used?",
        help: "Languages, libraries, services or licences that you do not want in it.",
        example: "Nothing under the GPL, no hosted services.",
        kind: TEXT,
        required: false,
    },
];

const DATABASE_SCHEMA: &[Question] = &[
    Question {
        id: "storage",
        label: "Where does it keep things?",
        help: "If it forgets everything when it ends, choose nothing.",
        example: "PostgreSQL",
        kind: Kind::Choice {
            options: &["No preference", "Nothing", "Files", "SQLite", "PostgreSQL", "MySQL"],
        },
        required: true,
    },
    Question {
        id: "entities",
        label: "What does it remember?",
        help: "One thing for each line, with what is known about it.",
        example: "Task: title, owner, due date, done or not",
        kind: LIST,
        required: false,
    },
    Question {
        id: "rules",
        label: "Which rules hold for it?",
        help: "What must be unique, what may be empty, what happens when something is deleted.",
        example: "A task without an owner is allowed. A member who leaves keeps finished tasks.",
        kind: TEXT,
        required: false,
    },
];

const API_ENDPOINTS: &[Question] = &[
    Question {
        id: "style",
        label: "How is it called?",
        help: "By other programs, by a command line, or not at all.",
        example: "HTTP with JSON",
        kind: Kind::Choice {
            options: &["No preference", "Not at all", "HTTP with JSON", "Command line", "Library"],
        },
        required: true,
    },
    Question {
        id: "calls",
        label: "Which calls are there?",
        help: "One for each line, in your own words. Empty: they follow from what people do.",
        example: "List the tasks that are due today",
        kind: LIST,
        required: false,
    },
    Question {
        id: "access",
        label: "Who may call it?",
        help: "Everybody, people who signed in, programs with a key.",
        example: "Members who signed in; everything else is refused.",
        kind: TEXT,
        required: false,
    },
];

const UI_REQUIREMENTS: &[Question] = &[
    Question {
        id: "kind",
        label: "What do people see?",
        help: "If only programs use it, choose nothing.",
        example: "A web page",
        kind: Kind::Choice {
            options: &["No preference", "Nothing", "A web page", "A terminal", "A desktop window"],
        },
        required: true,
    },
    Question {
        id: "screens",
        label: "Which screens are there?",
        help: "One for each line, with what can be seen and done on it. For a terminal: the commands.",
        example: "Today: tasks that are due, overdue ones on top; tick off",
        kind: LIST,
        required: false,
    },
    Question {
        id: "look",
        label: "How should it look and feel?",
        help: "Something it should resemble, languages, small screens, people with impairments.",
        example: "Calm, like a sheet of paper. Usable by keyboard alone, and on a phone.",
        kind: TEXT,
        required: false,
    },
];

const ARCHITECTURAL_BOUNDARIES: &[Question] = &[
    Question {
        id: "layers",
        label: "Which parts does it have?",
        help: "One for each line, the innermost first. Empty: parts that are usual for its kind.",
        example: "Rules: what a task is and when it is late",
        kind: LIST,
        required: false,
    },
    Question {
        id: "rules",
        label: "What must a part know nothing about?",
        help: "This is what keeps it easy to change.",
        example: "The rules know nothing about the web or the database.",
        kind: TEXT,
        required: false,
    },
    Question {
        id: "qualities",
        label: "What matters most when things pull apart?",
        help: "Speed, safety, simplicity, few dependencies, being easy to change.",
        example: "Simple to read, then few dependencies. Speed hardly matters.",
        kind: TEXT,
        required: false,
    },
];

const DEPLOYMENT_TARGET: &[Question] = &[
    Question {
        id: "target",
        label: "Where does it run?",
        help: "Once it is in use.",
        example: "A container",
        kind: Kind::Choice {
            options: &[
                "No preference",
                "On people's own machines",
                "A server of one's own",
                "A container",
                "Serverless",
            ],
        },
        required: true,
    },
    Question {
        id: "constraints",
        label: "What must it get along with there?",
        help: "Memory, other services, no connection to the outside, how many people at once.",
        example: "One small machine, twenty people, backups by copying one folder.",
        kind: TEXT,
        required: false,
    },
];

const DEV_PLATFORM: &[Question] = &[
    Question {
        id: "system",
        label: "On what is it developed?",
        help: "Commands in the documents are written for it.",
        example: "Linux",
        kind: Kind::Choice { options: &["No preference", "Linux", "macOS", "Windows"] },
        required: false,
    },
    Question {
        id: "test_command",
        label: "Which command runs the tests?",
        help: "If there is none yet, the usual one of the language is taken.",
        example: "pytest",
        kind: LINE,
        required: false,
    },
    Question {
        id: "habits",
        label: "Which habits should it follow?",
        help: "Style guides, names, how tests are written, the language of comments.",
        example: "Type hints everywhere, formatted by black, tests beside the code.",
        kind: TEXT,
        required: false,
    },
];
