//! The languages whose usual tools are known.

use super::kit::{Kit, tool_words};

/// The kit whose language or tools a text names, by words that have no other meaning.
pub(super) fn named_in(text: &str) -> Option<&'static Kit> {
    let words = tool_words(text);
    let first = |kit: &&Kit| words.iter().position(|word| kit.signs.contains(&word.as_str()));
    KITS.iter().copied().filter(|kit| first(kit).is_some()).min_by_key(first)
}

/// The kit whose language a text about anything names.
pub(super) fn spoken_of(text: &str) -> Option<&'static Kit> {
    const NAMES: [&str; 7] =
        ["typescript", "javascript", "python", "golang", "c#", "dotnet", "php"];
    let is_name = |word: &String| NAMES.contains(&word.as_str());
    named_in(&tool_words(text).into_iter().filter(is_name).collect::<Vec<_>>().join(" "))
}

/// The kit of a language that was chosen.
pub(super) fn of_language(name: &str) -> &'static Kit {
    of_command(name).unwrap_or(&OTHER)
}

/// The kit to which a command belongs; words of everyday language count here too.
pub(super) fn of_command(command: &str) -> Option<&'static Kit> {
    let words = tool_words(command);
    let is = |short: &str| words.iter().any(|word| word == short);
    match () {
        () if is("go") => Some(&GO),
        () if is("net") => Some(&CSHARP),
        () if is("java") => Some(&JAVA),
        () if is("rust") => Some(&RUST),
        () if is("ruby") => Some(&RUBY),
        () => named_in(command),
    }
}

const KITS: [&Kit; 9] =
    [&TYPESCRIPT, &JAVASCRIPT, &PYTHON, &GO, &JAVA, &CSHARP, &RUST, &PHP, &RUBY];

pub(super) static TYPESCRIPT: Kit = Kit {
    language: "TypeScript 5.9 on Node 24",
    signs: &["typescript", "vitest", "jest", "tsc", "npm", "pnpm", "yarn", "eslint", "deno", "bun"],
    test_command: "npm test",
    tests: "Vitest 4",
    style: "Biome 2",
    web: "Fastify 5",
    webs: &["fastify", "express", "hono", "koa", "nestjs", "next.js", "nextjs", "remix", "nuxt"],
    pages: "React 19, built with Vite 7",
    commands: "Commander 14",
    windows: "Electron 39",
    sqlite: "better-sqlite3 12",
    postgresql: "pg 8",
    mysql: "mysql2 3",
    manifests: &["package.json", "package-lock.json", "tsconfig.json"],
    source: "src/",
    entry: "main.ts",
    tests_folder: Some("test/**"),
};

static JAVASCRIPT: Kit = Kit {
    language: "JavaScript (ES modules) on Node 24",
    signs: &["javascript", "node", "node.js", "nodejs", "mocha"],
    test_command: "node --test",
    tests: "the test runner of Node, with node:assert/strict",
    style: "Biome 2",
    web: "Fastify 5",
    webs: &["fastify", "express", "hono", "koa"],
    pages: "server-rendered HTML with htmx 2",
    commands: "parseArgs from Node",
    windows: "Electron 39",
    sqlite: "better-sqlite3 12",
    postgresql: "pg 8",
    mysql: "mysql2 3",
    manifests: &["package.json", "package-lock.json"],
    source: "src/",
    entry: "main.js",
    tests_folder: Some("test/**"),
};

pub(super) static PYTHON: Kit = Kit {
    language: "Python 3.13",
    signs: &[
        "python", "python3", "pytest", "unittest", "tox", "pip", "poetry", "flask", "django",
        "fastapi", "mypy", "ruff", "pep8",
    ],
    test_command: "pytest",
    tests: "pytest 8",
    style: "ruff",
    web: "Flask 3",
    webs: &["flask", "django", "fastapi", "starlette", "tornado", "bottle", "aiohttp", "litestar"],
    pages: "server-rendered HTML (Jinja 3) with htmx 2",
    commands: "argparse from the standard library",
    windows: "Tk (tkinter) from the standard library",
    sqlite: "sqlite3 from the standard library",
    postgresql: "psycopg 3",
    mysql: "PyMySQL 1",
    manifests: &["pyproject.toml", "uv.lock"],
    source: "{program}/",
    entry: "__main__.py",
    tests_folder: Some("tests/**"),
};

static GO: Kit = Kit {
    language: "Go 1.25",
    signs: &["golang", "gofmt", "go.mod", "golangci"],
    test_command: "go test ./...",
    tests: "the testing package, tests beside the code",
    style: "gofmt and go vet",
    web: "net/http from the standard library",
    webs: &["gin", "echo", "chi", "fiber", "http"],
    pages: "html/template with htmx 2",
    commands: "flag from the standard library",
    windows: "Fyne 2",
    sqlite: "modernc.org/sqlite",
    postgresql: "pgx 5",
    mysql: "go-sql-driver/mysql 1",
    manifests: &["go.mod", "go.sum"],
    source: "internal/",
    entry: "/cmd/{program}/**",
    tests_folder: None,
};

static JAVA: Kit = Kit {
    language: "Java 21",
    signs: &["junit", "mvn", "maven", "gradle", "gradlew", "spring", "checkstyle"],
    test_command: "mvn test",
    tests: "JUnit 5",
    style: "Spotless",
    web: "Spring Boot 3",
    webs: &["spring", "javalin", "quarkus", "micronaut", "helidon"],
    pages: "server-rendered HTML (Thymeleaf 3) with htmx 2",
    commands: "picocli 4",
    windows: "JavaFX 21",
    sqlite: "sqlite-jdbc 3",
    postgresql: "pgjdbc 42",
    mysql: "Connector/J 9",
    manifests: &["pom.xml"],
    source: "src/main/java/{program}/",
    entry: "Main.java",
    tests_folder: Some("src/test/**"),
};

static CSHARP: Kit = Kit {
    language: "C# 14 on .NET 10",
    signs: &["c#", "csharp", "dotnet", "xunit", "nunit", "blazor"],
    test_command: "dotnet test",
    tests: "xUnit 3",
    style: "dotnet format",
    web: "ASP.NET Core 10",
    webs: &["asp.net", "aspnet", "blazor", "carter"],
    pages: "Razor Pages with htmx 2",
    commands: "System.CommandLine 2",
    windows: "Avalonia 11",
    sqlite: "Microsoft.Data.Sqlite 10",
    postgresql: "Npgsql 10",
    mysql: "MySqlConnector 2",
    manifests: &["*.sln", "Directory.Packages.props"],
    source: "src/",
    entry: "Program.cs",
    tests_folder: Some("tests/**"),
};

static RUST: Kit = Kit {
    language: "Rust, edition 2024",
    signs: &["cargo", "clippy", "rustfmt", "rustc"],
    test_command: "cargo test",
    tests: "the built-in test framework",
    style: "cargo fmt and clippy",
    web: "actix-web 4",
    webs: &["actix", "rocket", "warp", "poem", "hyper"],
    pages: "server-rendered HTML (MiniJinja 2) with htmx 2",
    commands: "clap 4",
    windows: "Slint 1",
    sqlite: "rusqlite 0.37",
    postgresql: "tokio-postgres 0.7",
    mysql: "mysql_async 0.36",
    manifests: &["Cargo.toml", "Cargo.lock"],
    source: "src/",
    entry: "main.rs",
    tests_folder: Some("tests/**"),
};

static PHP: Kit = Kit {
    language: "PHP 8.4",
    signs: &["php", "phpunit", "composer", "laravel", "symfony"],
    test_command: "vendor/bin/phpunit",
    tests: "PHPUnit 12",
    style: "PHP-CS-Fixer 3 and PHPStan 2",
    web: "Slim 4",
    webs: &["slim", "laravel", "symfony", "laminas"],
    pages: "server-rendered HTML (Twig 3) with htmx 2",
    commands: "symfony/console 7",
    windows: "NativePHP 1",
    sqlite: "PDO with SQLite",
    postgresql: "PDO with PostgreSQL",
    mysql: "PDO with MySQL",
    manifests: &["composer.json", "composer.lock"],
    source: "src/",
    entry: "main.php",
    tests_folder: Some("tests/**"),
};

static RUBY: Kit = Kit {
    language: "Ruby 3.4",
    signs: &["rspec", "rake", "bundle", "bundler", "rails", "sinatra", "rubocop"],
    test_command: "bundle exec rspec",
    tests: "RSpec 3",
    style: "RuboCop 1",
    web: "Sinatra 4",
    webs: &["rails", "sinatra", "hanami", "roda"],
    pages: "server-rendered HTML (ERB) with htmx 2",
    commands: "OptionParser from the standard library",
    windows: "Glimmer DSL",
    sqlite: "sqlite3 2",
    postgresql: "pg 1",
    mysql: "mysql2 0.5",
    manifests: &["Gemfile", "Gemfile.lock"],
    source: "lib/",
    entry: "main.rb",
    tests_folder: Some("spec/**"),
};

/// For a language that nobody here knows.
static OTHER: Kit = Kit {
    language: "",
    signs: &[],
    test_command: "make test",
    tests: "the test framework that the language brings along",
    style: "the formatter that the language brings along",
    web: "the HTTP server of the standard library",
    webs: &["http", "web", "server"],
    pages: "server-rendered HTML with htmx 2",
    commands: "the standard library",
    windows: "the widgets of the system",
    sqlite: "the language's SQLite driver",
    postgresql: "the language's PostgreSQL driver",
    mysql: "the language's MySQL driver",
    manifests: &["Makefile"],
    source: "src/",
    entry: "main.*",
    tests_folder: Some("tests/**"),
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_and_their_tools_are_recognised() {
        for (text, expected) in [
            ("we run pytest and black", Some(&PYTHON)),
            ("npm test", Some(&TYPESCRIPT)),
            ("node --test", Some(&JAVASCRIPT)),
            ("dotnet test", Some(&CSHARP)),
            ("go on, drink the java of the day", None),
        ] {
            assert_eq!(named_in(text), expected, "{text}");
        }
        assert_eq!(of_command("go test ./..."), Some(&GO));
        assert_eq!(spoken_of("A poetry collection, written in Python"), Some(&PYTHON));
        assert_eq!(of_command("go test ./..."), Some(&GO));
        assert_eq!(spoken_of("A poetry collection with a node for each rake"), None);
        for (text, expected) in [
            ("Go", &GO),
            ("Rust", &RUST),
            ("C#", &CSHARP),
            ("Java 17", &JAVA),
            (".NET 10", &CSHARP),
            ("JavaScript", &JAVASCRIPT),
            ("Python 3.12 with mypy", &PYTHON),
            ("Prolog", &OTHER),
        ] {
            assert_eq!(of_language(text), expected, "{text}");
        }
    }

    #[test]
    fn paths_follow_the_language() {
        assert_eq!(PYTHON.entry("shop"), "shop/__main__.py");
        assert_eq!(GO.entry("shop"), "cmd/shop/**");
        assert_eq!(JAVA.source("shop"), "src/main/java/shop/");
        assert!(PYTHON.has_web(&["htmx 2", "Django 5"]) && !PYTHON.has_web(&["htmx 2"]));
    }
}
