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
            ("Product", "What should be built, for whom, and why.", PRODUCT_INTENT)
        }
        SectionId::TechStack => (
            "Technology",
            "Languages, frameworks and libraries. Skip what you have no preference for.",
            TECH_STACK,
        ),
        SectionId::DatabaseSchema => {
            ("Data", "What is stored, and how it is related.", DATABASE_SCHEMA)
        }
        SectionId::ApiEndpoints => {
            ("API", "The interface for other programs, or the command line.", API_ENDPOINTS)
        }
        SectionId::UiRequirements => {
            ("User interface", "Screens, or commands in a terminal.", UI_REQUIREMENTS)
        }
        SectionId::ArchitecturalBoundaries => (
            "Architecture",
            "The parts of the code, and how they may depend on each other.",
            ARCHITECTURAL_BOUNDARIES,
        ),
        SectionId::DeploymentTarget => {
            ("Deployment", "Where it runs, and the limits there.", DEPLOYMENT_TARGET)
        }
        SectionId::DevPlatform => ("Development", "How it is developed and tested.", DEV_PLATFORM),
    };
    Section { id, title, about, questions }
}

const PRODUCT_INTENT: &[Question] = &[
    Question {
        id: "summary",
        label: "What should it do?",
        help: "A few sentences, as if you explained it to a colleague. Which problem does it solve?",
        example: "TaskFlow is a task list for a small team. Members see what is due today, take \
            tasks and finish them. It replaces a shared spreadsheet.",
        kind: TEXT,
        required: true,
    },
    Question {
        id: "users",
        label: "Who will use it?",
        help: "The groups of people or programs that use it, and what for.",
        example: "Members, who work on tasks. A team lead, who adds tasks and reviews overdue ones.",
        kind: TEXT,
        required: true,
    },
    Question {
        id: "features",
        label: "What must they be able to do?",
        help: "One feature per line: who does what, and why. The most important first.",
        example: "A member finishes a task, so that it is not done twice",
        kind: LIST,
        required: true,
    },
    Question {
        id: "out_of_scope",
        label: "What is out of scope?",
        help: "What users might expect but will not get. This limits the work.",
        example: "No calendar, no email, no time tracking.",
        kind: TEXT,
        required: false,
    },
    Question {
        id: "success",
        label: "How will you know that it works?",
        help: "What would you try first, and what should happen?",
        example: "I add a task with a date, and on that morning it is at the top of the page.",
        kind: TEXT,
        required: false,
    },
];

const TECH_STACK: &[Question] = &[
    Question {
        id: "language",
        label: "Which programming language?",
        help: "The main one. With no preference, a suitable one is chosen.",
        example: "Python",
        kind: Kind::Choice {
            options: &["No preference", "TypeScript", "Python", "Go", "Java", "C#", "Rust"],
        },
        required: true,
    },
    Question {
        id: "frameworks",
        label: "Which frameworks and libraries?",
        help: "One per line, with the version if it matters. If empty, common ones are chosen.",
        example: "Flask 3",
        kind: LIST,
        required: false,
    },
    Question {
        id: "avoid",
        label: "What must not be used?",
        help: "Languages, libraries, services or licences to avoid.",
        example: "Nothing under the GPL, no hosted services.",
        kind: TEXT,
        required: false,
    },
];

const DATABASE_SCHEMA: &[Question] = &[
    Question {
        id: "storage",
        label: "Where is data stored?",
        help: "If it stores nothing permanently, choose “Nothing”.",
        example: "PostgreSQL",
        kind: Kind::Choice {
            options: &["No preference", "Nothing", "Files", "SQLite", "PostgreSQL", "MySQL"],
        },
        required: true,
    },
    Question {
        id: "entities",
        label: "What is stored?",
        help: "One entity per line, with its fields.",
        example: "Task: title, owner, due date, done or not",
        kind: LIST,
        required: false,
    },
    Question {
        id: "rules",
        label: "Which rules apply to the data?",
        help: "What is unique, what is optional, what a deletion does.",
        example: "The owner of a task is optional. When a member leaves, finished tasks are kept.",
        kind: TEXT,
        required: false,
    },
];

const API_ENDPOINTS: &[Question] = &[
    Question {
        id: "style",
        label: "What kind of API does it have?",
        help: "For other programs, as a command line, or none.",
        example: "HTTP with JSON",
        kind: Kind::Choice {
            options: &["No preference", "Not at all", "HTTP with JSON", "Command line", "Library"],
        },
        required: true,
    },
    Question {
        id: "calls",
        label: "Which operations does it offer?",
        help: "One per line, in your own words. If empty, they are derived from the features.",
        example: "List the tasks that are due today",
        kind: LIST,
        required: false,
    },
    Question {
        id: "access",
        label: "Who may call it?",
        help: "Everyone, signed-in users, programs with a key.",
        example: "Signed-in members; all other requests are rejected.",
        kind: TEXT,
        required: false,
    },
];

const UI_REQUIREMENTS: &[Question] = &[
    Question {
        id: "kind",
        label: "What kind of interface does it have?",
        help: "If only programs use it, choose “Nothing”.",
        example: "A web page",
        kind: Kind::Choice {
            options: &["No preference", "Nothing", "A web page", "A terminal", "A desktop window"],
        },
        required: true,
    },
    Question {
        id: "screens",
        label: "Which screens does it have?",
        help: "One per line, with what it shows and what users can do there. For a terminal: the commands.",
        example: "Today: tasks that are due, overdue ones first; finish a task",
        kind: LIST,
        required: false,
    },
    Question {
        id: "look",
        label: "How should it look and feel?",
        help: "Similar products, languages, screen sizes, accessibility.",
        example: "Calm, like a sheet of paper. Usable with the keyboard alone, and on a phone.",
        kind: TEXT,
        required: false,
    },
];

const ARCHITECTURAL_BOUNDARIES: &[Question] = &[
    Question {
        id: "layers",
        label: "Which parts does the code have?",
        help: "One per line, the innermost first. If empty, a common structure is chosen.",
        example: "Rules: what a task is and when it is overdue",
        kind: LIST,
        required: false,
    },
    Question {
        id: "rules",
        label: "What must a part not depend on?",
        help: "Such rules keep the code easy to change.",
        example: "The rules do not depend on the web framework or the database.",
        kind: TEXT,
        required: false,
    },
    Question {
        id: "qualities",
        label: "Which qualities matter most if they conflict?",
        help: "Performance, data safety, simplicity, few dependencies, maintainability.",
        example: "Simple to read, then few dependencies. Performance hardly matters.",
        kind: TEXT,
        required: false,
    },
];

const DEPLOYMENT_TARGET: &[Question] = &[
    Question {
        id: "target",
        label: "Where does it run?",
        help: "In production.",
        example: "A container",
        kind: Kind::Choice {
            options: &[
                "No preference",
                "On users' machines",
                "Our own server",
                "A container",
                "Serverless",
            ],
        },
        required: true,
    },
    Question {
        id: "constraints",
        label: "Which limits apply there?",
        help: "Memory, other services, network access, number of concurrent users.",
        example: "One small machine, twenty users, backups by copying one folder.",
        kind: TEXT,
        required: false,
    },
];

const DEV_PLATFORM: &[Question] = &[
    Question {
        id: "system",
        label: "Which system is it developed on?",
        help: "The contracts use its commands.",
        example: "Linux",
        kind: Kind::Choice { options: &["No preference", "Linux", "macOS", "Windows"] },
        required: false,
    },
    Question {
        id: "test_command",
        label: "Which command runs the tests?",
        help: "If there is none yet, the usual one for the language is chosen.",
        example: "pytest",
        kind: LINE,
        required: false,
    },
    Question {
        id: "habits",
        label: "Which conventions should the code follow?",
        help: "Style guides, naming, how tests are written, the language of comments.",
        example: "Type hints everywhere, formatted by black, tests next to the code.",
        kind: TEXT,
        required: false,
    },
];
