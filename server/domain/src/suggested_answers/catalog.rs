//! Well-known packages, and the answers that a dependency on them suggests.

use super::manifest::Ecosystem::{self, Cargo, Go, Maven, Npm, NuGet, Packagist, PyPi, RubyGems};
use Fact::{Api, Framework, Interface, Storage};

/// An answer, as an option of its question where there is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fact {
    Framework(&'static str),
    Storage(&'static str),
    Api(&'static str),
    Interface(&'static str),
}

/// Options of the questionnaire that several packages suggest.
pub const POSTGRESQL: &str = "PostgreSQL";
pub const MYSQL: &str = "MySQL";
pub const SQLITE: &str = "SQLite";
pub const MARIADB: &str = "MariaDB";
pub const SQL_SERVER: &str = "SQL Server";
pub const MONGODB: &str = "MongoDB";
pub const REDIS: &str = "Redis";
pub const HTTP: &str = "HTTP with JSON";
pub const COMMAND_LINE: &str = "Command line";
pub const WEB_PAGE: &str = "A web page";
pub const DESKTOP: &str = "A desktop window";
pub const TERMINAL: &str = "A terminal";

/// Of several findings for a question, the first of these is suggested: a program that keeps its data
/// in PostgreSQL often has a cache too, and a server a command line.
pub const PRECEDENCE: [&str; 12] = [
    POSTGRESQL,
    MYSQL,
    MARIADB,
    SQL_SERVER,
    MONGODB,
    SQLITE,
    REDIS,
    HTTP,
    COMMAND_LINE,
    DESKTOP,
    WEB_PAGE,
    TERMINAL,
];

type Package = (Ecosystem, &'static str, &'static [Fact]);

const PACKAGES: &[Package] = &[
    (Npm, "next", &[Framework("Next.js"), Interface(WEB_PAGE)]),
    (Npm, "nuxt", &[Framework("Nuxt"), Interface(WEB_PAGE)]),
    (Npm, "@sveltejs/kit", &[Framework("SvelteKit"), Interface(WEB_PAGE)]),
    (Npm, "astro", &[Framework("Astro"), Interface(WEB_PAGE)]),
    (Npm, "react", &[Framework("React")]),
    (Npm, "react-dom", &[Interface(WEB_PAGE)]),
    (Npm, "vue", &[Framework("Vue"), Interface(WEB_PAGE)]),
    (Npm, "svelte", &[Framework("Svelte"), Interface(WEB_PAGE)]),
    (Npm, "@angular/core", &[Framework("Angular"), Interface(WEB_PAGE)]),
    (Npm, "electron", &[Framework("Electron"), Interface(DESKTOP)]),
    (Npm, "@tauri-apps/api", &[Framework("Tauri"), Interface(DESKTOP)]),
    (Npm, "express", &[Framework("Express"), Api(HTTP)]),
    (Npm, "fastify", &[Framework("Fastify"), Api(HTTP)]),
    (Npm, "koa", &[Framework("Koa"), Api(HTTP)]),
    (Npm, "hono", &[Framework("Hono"), Api(HTTP)]),
    (Npm, "@nestjs/core", &[Framework("NestJS"), Api(HTTP)]),
    (Npm, "commander", &[Framework("Commander.js"), Api(COMMAND_LINE)]),
    (Npm, "yargs", &[Framework("yargs"), Api(COMMAND_LINE)]),
    (Npm, "ink", &[Framework("Ink"), Interface(TERMINAL)]),
    (Npm, "prisma", &[Framework("Prisma")]),
    (Npm, "typeorm", &[Framework("TypeORM")]),
    (Npm, "drizzle-orm", &[Framework("Drizzle")]),
    (Npm, "tailwindcss", &[Framework("Tailwind CSS")]),
    (Npm, "vite", &[Framework("Vite")]),
    (Npm, "vitest", &[Framework("Vitest")]),
    (Npm, "jest", &[Framework("Jest")]),
    (Npm, "@playwright/test", &[Framework("Playwright")]),
    (Npm, "pg", &[Storage(POSTGRESQL)]),
    (Npm, "postgres", &[Storage(POSTGRESQL)]),
    (Npm, "mysql", &[Storage(MYSQL)]),
    (Npm, "mysql2", &[Storage(MYSQL)]),
    (Npm, "mariadb", &[Storage(MARIADB)]),
    (Npm, "mssql", &[Storage(SQL_SERVER)]),
    (Npm, "sqlite3", &[Storage(SQLITE)]),
    (Npm, "better-sqlite3", &[Storage(SQLITE)]),
    (Npm, "mongodb", &[Storage(MONGODB)]),
    (Npm, "mongoose", &[Framework("Mongoose"), Storage(MONGODB)]),
    (Npm, "redis", &[Storage(REDIS)]),
    (Npm, "ioredis", &[Storage(REDIS)]),
    (Cargo, "axum", &[Framework("axum"), Api(HTTP)]),
    (Cargo, "actix-web", &[Framework("Actix Web"), Api(HTTP)]),
    (Cargo, "rocket", &[Framework("Rocket"), Api(HTTP)]),
    (Cargo, "warp", &[Framework("warp"), Api(HTTP)]),
    (Cargo, "tokio", &[Framework("Tokio")]),
    (Cargo, "clap", &[Framework("clap"), Api(COMMAND_LINE)]),
    (Cargo, "ratatui", &[Framework("Ratatui"), Interface(TERMINAL)]),
    (Cargo, "tauri", &[Framework("Tauri"), Interface(DESKTOP)]),
    (Cargo, "egui", &[Framework("egui"), Interface(DESKTOP)]),
    (Cargo, "eframe", &[Framework("eframe"), Interface(DESKTOP)]),
    (Cargo, "iced", &[Framework("iced"), Interface(DESKTOP)]),
    (Cargo, "leptos", &[Framework("Leptos"), Interface(WEB_PAGE)]),
    (Cargo, "yew", &[Framework("Yew"), Interface(WEB_PAGE)]),
    (Cargo, "sqlx", &[Framework("SQLx")]),
    (Cargo, "sqlx/postgres", &[Storage(POSTGRESQL)]),
    (Cargo, "sqlx/mysql", &[Storage(MYSQL)]),
    (Cargo, "sqlx/sqlite", &[Storage(SQLITE)]),
    (Cargo, "diesel", &[Framework("Diesel")]),
    (Cargo, "diesel/postgres", &[Storage(POSTGRESQL)]),
    (Cargo, "diesel/mysql", &[Storage(MYSQL)]),
    (Cargo, "diesel/sqlite", &[Storage(SQLITE)]),
    (Cargo, "sea-orm", &[Framework("SeaORM")]),
    (Cargo, "sea-orm/sqlx-postgres", &[Storage(POSTGRESQL)]),
    (Cargo, "sea-orm/sqlx-mysql", &[Storage(MYSQL)]),
    (Cargo, "sea-orm/sqlx-sqlite", &[Storage(SQLITE)]),
    (Cargo, "tokio-postgres", &[Storage(POSTGRESQL)]),
    (Cargo, "mysql_async", &[Storage(MYSQL)]),
    (Cargo, "rusqlite", &[Storage(SQLITE)]),
    (Cargo, "mongodb", &[Storage(MONGODB)]),
    (Cargo, "redis", &[Storage(REDIS)]),
    (PyPi, "django", &[Framework("Django"), Interface(WEB_PAGE)]),
    (PyPi, "djangorestframework", &[Framework("Django REST framework"), Api(HTTP)]),
    (PyPi, "flask", &[Framework("Flask")]),
    (PyPi, "fastapi", &[Framework("FastAPI"), Api(HTTP)]),
    (PyPi, "starlette", &[Framework("Starlette"), Api(HTTP)]),
    (PyPi, "aiohttp", &[Framework("aiohttp")]),
    (PyPi, "streamlit", &[Framework("Streamlit"), Interface(WEB_PAGE)]),
    (PyPi, "click", &[Framework("Click"), Api(COMMAND_LINE)]),
    (PyPi, "typer", &[Framework("Typer"), Api(COMMAND_LINE)]),
    (PyPi, "textual", &[Framework("Textual"), Interface(TERMINAL)]),
    (PyPi, "pyqt6", &[Framework("PyQt"), Interface(DESKTOP)]),
    (PyPi, "pyside6", &[Framework("PySide"), Interface(DESKTOP)]),
    (PyPi, "sqlalchemy", &[Framework("SQLAlchemy")]),
    (PyPi, "pydantic", &[Framework("Pydantic")]),
    (PyPi, "pandas", &[Framework("pandas")]),
    (PyPi, "numpy", &[Framework("NumPy")]),
    (PyPi, "pytest", &[Framework("pytest")]),
    (PyPi, "psycopg", &[Storage(POSTGRESQL)]),
    (PyPi, "psycopg2", &[Storage(POSTGRESQL)]),
    (PyPi, "psycopg2-binary", &[Storage(POSTGRESQL)]),
    (PyPi, "asyncpg", &[Storage(POSTGRESQL)]),
    (PyPi, "pymysql", &[Storage(MYSQL)]),
    (PyPi, "mysqlclient", &[Storage(MYSQL)]),
    (PyPi, "aiosqlite", &[Storage(SQLITE)]),
    (PyPi, "pymongo", &[Storage(MONGODB)]),
    (PyPi, "motor", &[Storage(MONGODB)]),
    (PyPi, "redis", &[Storage(REDIS)]),
    (Go, "github.com/gin-gonic/gin", &[Framework("Gin"), Api(HTTP)]),
    (Go, "github.com/labstack/echo/v4", &[Framework("Echo"), Api(HTTP)]),
    (Go, "github.com/gofiber/fiber/v2", &[Framework("Fiber"), Api(HTTP)]),
    (Go, "github.com/go-chi/chi/v5", &[Framework("chi"), Api(HTTP)]),
    (Go, "github.com/spf13/cobra", &[Framework("Cobra"), Api(COMMAND_LINE)]),
    (Go, "github.com/charmbracelet/bubbletea", &[Framework("Bubble Tea"), Interface(TERMINAL)]),
    (Go, "gorm.io/gorm", &[Framework("GORM")]),
    (Go, "gorm.io/driver/postgres", &[Storage(POSTGRESQL)]),
    (Go, "gorm.io/driver/mysql", &[Storage(MYSQL)]),
    (Go, "gorm.io/driver/sqlite", &[Storage(SQLITE)]),
    (Go, "github.com/jackc/pgx/v5", &[Storage(POSTGRESQL)]),
    (Go, "github.com/lib/pq", &[Storage(POSTGRESQL)]),
    (Go, "github.com/go-sql-driver/mysql", &[Storage(MYSQL)]),
    (Go, "github.com/mattn/go-sqlite3", &[Storage(SQLITE)]),
    (Go, "modernc.org/sqlite", &[Storage(SQLITE)]),
    (Go, "go.mongodb.org/mongo-driver", &[Storage(MONGODB)]),
    (Go, "github.com/redis/go-redis/v9", &[Storage(REDIS)]),
    (RubyGems, "rails", &[Framework("Rails"), Interface(WEB_PAGE)]),
    (RubyGems, "sinatra", &[Framework("Sinatra")]),
    (RubyGems, "hanami", &[Framework("Hanami")]),
    (RubyGems, "rspec-rails", &[Framework("RSpec")]),
    (RubyGems, "rspec", &[Framework("RSpec")]),
    (RubyGems, "pg", &[Storage(POSTGRESQL)]),
    (RubyGems, "mysql2", &[Storage(MYSQL)]),
    (RubyGems, "sqlite3", &[Storage(SQLITE)]),
    (RubyGems, "mongoid", &[Framework("Mongoid"), Storage(MONGODB)]),
    (RubyGems, "redis", &[Storage(REDIS)]),
    (Maven, "spring-boot-starter-web", &[Framework("Spring Boot"), Api(HTTP)]),
    (Maven, "spring-boot-starter-webflux", &[Framework("Spring WebFlux"), Api(HTTP)]),
    (Maven, "quarkus-rest", &[Framework("Quarkus"), Api(HTTP)]),
    (Maven, "ktor-server-core", &[Framework("Ktor"), Api(HTTP)]),
    (Maven, "picocli", &[Framework("picocli"), Api(COMMAND_LINE)]),
    (Maven, "javafx-controls", &[Framework("JavaFX"), Interface(DESKTOP)]),
    (Maven, "hibernate-core", &[Framework("Hibernate")]),
    (Maven, "junit-jupiter", &[Framework("JUnit")]),
    (Maven, "postgresql", &[Storage(POSTGRESQL)]),
    (Maven, "mysql-connector-j", &[Storage(MYSQL)]),
    (Maven, "mariadb-java-client", &[Storage(MARIADB)]),
    (Maven, "mssql-jdbc", &[Storage(SQL_SERVER)]),
    (Maven, "sqlite-jdbc", &[Storage(SQLITE)]),
    (Packagist, "laravel/framework", &[Framework("Laravel"), Interface(WEB_PAGE)]),
    (Packagist, "symfony/framework-bundle", &[Framework("Symfony")]),
    (Packagist, "slim/slim", &[Framework("Slim"), Api(HTTP)]),
    (Packagist, "doctrine/orm", &[Framework("Doctrine")]),
    (Packagist, "phpunit/phpunit", &[Framework("PHPUnit")]),
    (Packagist, "mongodb/mongodb", &[Storage(MONGODB)]),
    (NuGet, "Microsoft.NET.Sdk.Web", &[Framework("ASP.NET Core"), Api(HTTP)]),
    (NuGet, "Microsoft.EntityFrameworkCore", &[Framework("Entity Framework Core")]),
    (NuGet, "xunit", &[Framework("xUnit.net")]),
    (NuGet, "Avalonia", &[Framework("Avalonia"), Interface(DESKTOP)]),
    (NuGet, "Npgsql", &[Storage(POSTGRESQL)]),
    (NuGet, "Npgsql.EntityFrameworkCore.PostgreSQL", &[Storage(POSTGRESQL)]),
    (NuGet, "Microsoft.EntityFrameworkCore.SqlServer", &[Storage(SQL_SERVER)]),
    (NuGet, "Microsoft.EntityFrameworkCore.Sqlite", &[Storage(SQLITE)]),
];

/// Images of databases, by their name without registry and tag.
const IMAGES: [(&str, &str); 11] = [
    ("postgres", POSTGRESQL),
    ("postgresql", POSTGRESQL),
    ("postgis", POSTGRESQL),
    ("timescaledb", POSTGRESQL),
    ("pgvector", POSTGRESQL),
    ("mysql", MYSQL),
    ("mariadb", MARIADB),
    ("mongo", MONGODB),
    ("mongodb", MONGODB),
    ("redis", REDIS),
    ("valkey", REDIS),
];

pub fn facts(ecosystem: Ecosystem, package: &str) -> &'static [Fact] {
    let found = PACKAGES.iter().find(|(of, name, _)| *of == ecosystem && *name == package);
    found.map_or(&[], |(_, _, facts)| facts)
}

pub fn is_known(ecosystem: Ecosystem, package: &str) -> bool {
    !facts(ecosystem, package).is_empty()
}

/// The storage that a container image provides.
pub fn storage_of_image(name: &str) -> Option<&'static str> {
    IMAGES.iter().find(|(image, _)| *image == name).map(|(_, storage)| *storage)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::questionnaire::{Kind, SectionId};

    #[test]
    fn packages_are_listed_once() {
        let mut seen = HashSet::new();
        for (ecosystem, name, facts) in PACKAGES {
            assert!(seen.insert((format!("{ecosystem:?}"), name)), "{name} is there twice");
            assert!(!facts.is_empty());
        }
    }

    #[test]
    fn answers_to_closed_questions_are_options() {
        let options = |section: SectionId, id: &str| {
            let question = section.section().questions.iter().find(|it| it.id == id).unwrap();
            match question.kind {
                Kind::Choice { options } => options,
                kind => panic!("{id} is {kind:?}"),
            }
        };
        for (.., facts) in PACKAGES {
            for fact in *facts {
                match fact {
                    Api(text) => assert!(options(SectionId::ApiEndpoints, "style").contains(text)),
                    Interface(text) => {
                        assert!(options(SectionId::UiRequirements, "kind").contains(text));
                    }
                    Storage(text) => assert!(PRECEDENCE.contains(text)),
                    Framework(_) => {}
                }
            }
        }
    }
}
