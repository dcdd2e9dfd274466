//! The names of sections, in the formats and languages that specs are written in.

use std::{collections::HashMap, sync::LazyLock};

use regex::Regex;

/// What the text below a heading says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Section {
    /// Above the first known heading, or below an unknown one.
    Root,
    Overview,
    Requirements,
    Quality,
    Design,
    Files(Files),
    Criteria,
    Plan,
    Testing,
    TestCommand,
    TddPlan,
    Dependencies,
    /// "Scope", which is the scope of the product in many specs.
    AnyScope,
    FileScope,
    /// A known heading of text that is only passed on.
    Notes,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Files {
    Any,
    Create,
    Modify,
    Read,
}

/// Names in lower case, without numbers and punctuation around them, separated by `|`.
const NAMES: &[(Section, &str)] = &[
    (
        Section::Overview,
        "overview|summary|introduction|background|purpose|description|context|problem|\
         problem statement|goal|goals|objective|objectives|motivation|executive summary|\
         tl;dr|tldr|abstract|about|what|why|feature summary|project overview|überblick|\
         übersicht|zusammenfassung|einleitung|ziel|ziele|aperçu|résumé|présentation|\
         contexte|objectif|objectifs|resumen|descripción|introducción|objetivo|objetivos|\
         visión general|visão geral|resumo|introdução|panoramica|introduzione|\
         descrizione|overzicht|przegląd|обзор|описание|введение|概述|概要|简介|背景|はじめに|개요",
    ),
    (
        Section::Requirements,
        "requirements|requirement|functional requirements|functional requirement|\
         user stories|user story|stories|user scenarios & testing|\
         user scenarios and testing|user scenarios|features|feature list|functional|\
         scope of work|what to build|anforderungen|funktionale anforderungen|exigences|\
         exigences fonctionnelles|besoins|requisitos|requisitos funcionales|\
         requisitos funcionais|requisiti|requisiti funzionali|vereisten|eisen|wymagania|\
         требования|функциональные требования|需求|功能需求|要件|機能要件|요구사항",
    ),
    (
        Section::Quality,
        "non-functional requirements|nonfunctional requirements|\
         non functional requirements|quality requirements|performance requirements|\
         security requirements|non-functional|nfrs|quality attributes|\
         nichtfunktionale anforderungen|nicht-funktionale anforderungen|\
         exigences non fonctionnelles|requisitos no funcionales|\
         requisitos não funcionais|requisiti non funzionali|нефункциональные требования|\
         非功能需求|非機能要件",
    ),
    (
        Section::Design,
        "technical design|design|technical context|architecture|implementation details|\
         technical approach|approach|solution|proposed solution|proposed changes|\
         technical details|technical specification|implementation notes|\
         components and interfaces|data model|data models|technischer entwurf|\
         technisches design|entwurf|architektur|conception technique|conception|\
         diseño técnico|diseño|arquitectura|projeto técnico|design técnico|arquitetura|\
         progettazione|progettazione tecnica|technisch ontwerp|projekt techniczny|\
         технический дизайн|архитектура|技术设计|设计|技術設計|設計|설계",
    ),
    (
        Section::Files(Files::Create),
        "files to create|new files|files created|created files|files to add|create|\
         to create|create files|neue dateien|zu erstellende dateien|fichiers à créer|\
         nouveaux fichiers|archivos nuevos|archivos a crear|arquivos a criar|\
         file da creare|новые файлы|新建文件|新規ファイル",
    ),
    (
        Section::Files(Files::Modify),
        "files to modify|files to change|files to edit|files to update|modified files|\
         changed files|files modified|files changed|modify|to modify|modify files|\
         existing files|geänderte dateien|zu ändernde dateien|fichiers à modifier|\
         archivos a modificar|archivos modificados|arquivos a modificar|\
         file da modificare|изменяемые файлы|修改文件|変更ファイル",
    ),
    (
        Section::Files(Files::Read),
        "files to read|reference files|files for reference|referenced files|\
         related files|to read|files to reference|zu lesende dateien|fichiers à lire|\
         archivos a leer|arquivos a ler|参考文件|参照ファイル",
    ),
    (
        Section::Files(Files::Any),
        "files|file changes|file operations|affected files|files affected|file list|\
         files involved|changes|code changes|dateien|fichiers|archivos|arquivos|文件|ファイル",
    ),
    (
        Section::Criteria,
        "pass criteria|pass criterion|acceptance criteria|acceptance criterion|\
         acceptance|exit criteria|success criteria|completion criteria|\
         verification criteria|definition of done|done when|dod|acceptance tests|\
         acceptance scenarios|acceptance scenario|measurable outcomes|abnahmekriterien|\
         akzeptanzkriterien|erfolgskriterien|fertig wenn|critères d'acceptation|\
         critères d’acceptation|critères de réussite|critères de succès|\
         criterios de aceptación|criterios de éxito|critérios de aceitação|\
         critérios de aceite|critérios de sucesso|criteri di accettazione|\
         criteri di successo|acceptatiecriteria|kryteria akceptacji|критерии приемки|\
         критерии приёмки|критерии успеха|验收标准|通过标准|受け入れ基準|合格基準|受入基準|인수 조건|수용 기준",
    ),
    (
        Section::Plan,
        "implementation plan|plan|tasks|task list|implementation tasks|steps|\
         implementation steps|phases|roadmap|work breakdown|milestones|todo|to do|\
         implementation|work items|action items|build plan|umsetzungsplan|umsetzung|\
         aufgaben|schritte|arbeitsschritte|plan de mise en œuvre|plan de mise en oeuvre|\
         plan d'implémentation|plan d’implémentation|tâches|étapes|\
         plan de implementación|tareas|pasos|plano de implementação|tarefas|etapas|\
         piano di implementazione|attività|implementatieplan|taken|plan wdrożenia|\
         zadania|план реализации|план|задачи|实施计划|实现计划|任务|実装計画|タスク|구현 계획",
    ),
    (
        Section::Testing,
        "testing strategy|testing|test strategy|test plan|tests|verification|validation|\
         verification plan|qa|teststrategie|stratégie de test|estrategia de pruebas|\
         pruebas|estratégia de testes|testes|strategia di test|стратегия тестирования|\
         тестирование|测试策略|测试|テスト戦略|テスト",
    ),
    (
        Section::TestCommand,
        "test command|test commands|how to test|running tests|running the tests|\
         run tests|testbefehl|commande de test|comando de prueba|comando de pruebas|\
         comando de teste|comando di test|команда тестирования|команда для тестов|测试命令|\
         テストコマンド|테스트 명령",
    ),
    (
        Section::TddPlan,
        "tdd plan|tdd|tdd approach|test-driven development|test first|test-first plan|\
         tests first|tdd-plan|plan tdd|tdd 计划|tdd計画",
    ),
    (
        Section::Dependencies,
        "dependencies|prerequisites|depends on|requires|external dependencies|\
         abhängigkeiten|dépendances|prérequis|dependencias|dependências|dipendenze|\
         afhankelijkheden|zależności|зависимости|依赖|依存関係",
    ),
    (
        Section::FileScope,
        "file scope|files in scope|allowed files|allowed paths|paths in scope|\
         scope of files|paths|scope (files)|dateibereich|erlaubte dateien|\
         portée des fichiers|alcance de archivos|escopo de arquivos|文件范围|ファイル範囲",
    ),
    (Section::AnyScope, "scope|in scope|umfang|portée|alcance|escopo|范围"),
    (
        Section::Notes,
        "out of scope|non-goals|non goals|nongoals|notes|open questions|questions|\
         edge cases|key entities|assumptions|clarifications|glossary|references|risks|\
         risks and mitigations|success metrics|metrics|dependencies & execution order|\
         dependencies and execution order|parallel example|parallel opportunities|\
         implementation strategy|changelog|revision history|appendix|personas|format|\
         path conventions|execution flow|review & acceptance checklist|execution status|\
         validation checklist|task generation rules|nicht im umfang|hors périmètre|\
         fuera de alcance|fora do escopo|вне рамок",
    ),
];

/// Sections of a plan document that describe its design.
const DESIGN_IN_PLAN: [&str; 7] = [
    "summary",
    "technical context",
    "project structure",
    "constitution check",
    "complexity tracking",
    "source code",
    "documentation",
];

/// The section with this heading within another section, unless it belongs to that.
pub(super) fn within(outer: Section, heading: &str) -> Option<Section> {
    let name = normalized(heading);
    let found = named(&name);
    if outer == Section::Plan && DESIGN_IN_PLAN.contains(&name.as_str()) {
        return Some(Section::Design);
    }
    if let Section::Files(_) = outer
        && let Some(files) = files_of(&name)
    {
        return Some(Section::Files(files));
    }
    let notes = || named(name.split_once(':')?.0).filter(|section| *section == Section::Notes);
    let found = found.or_else(notes)?;
    let is_separate = match outer {
        Section::Root | Section::Notes | Section::Overview => true,
        Section::Requirements | Section::Quality => matches!(
            found,
            Section::Criteria | Section::Quality | Section::Requirements | Section::Notes
        ),
        Section::Design => matches!(
            found,
            Section::Files(_) | Section::FileScope | Section::TestCommand | Section::Testing
        ),
        Section::Plan => matches!(
            found,
            Section::Files(_)
                | Section::FileScope
                | Section::TestCommand
                | Section::Criteria
                | Section::TddPlan
                | Section::Notes
        ),
        Section::Testing | Section::TddPlan => {
            matches!(found, Section::TestCommand | Section::Criteria | Section::TddPlan)
        }
        Section::Criteria => matches!(found, Section::TestCommand | Section::Notes),
        Section::AnyScope => matches!(found, Section::Notes | Section::FileScope),
        _ => false,
    };
    is_separate.then_some(found)
}

/// The section that a label such as `**Pass criteria:**` opens within another one.
pub(super) fn labelled(outer: Section, label: &str) -> Option<Section> {
    match within(outer, label)? {
        // Words of ordinary text.
        Section::Overview | Section::Notes | Section::Testing | Section::AnyScope => None,
        Section::Requirements | Section::Design | Section::Plan if outer != Section::Root => None,
        found => Some(found),
    }
}

fn named(name: &str) -> Option<Section> {
    static SECTIONS: LazyLock<HashMap<&str, Section>> = LazyLock::new(|| {
        let named = |(section, names): &'static (Section, &'static str)| {
            names.split('|').map(|name| (name, *section))
        };
        NAMES.iter().flat_map(named).collect()
    });
    SECTIONS.get(name).copied()
}

fn files_of(name: &str) -> Option<Files> {
    let has = |words: &[&str]| name.split_whitespace().any(|word| words.contains(&word));
    if has(&["create", "new", "add", "created", "added"]) {
        Some(Files::Create)
    } else if has(&["modify", "change", "edit", "update", "existing", "modified", "changed"]) {
        Some(Files::Modify)
    } else if has(&["read", "reference", "references"]) {
        Some(Files::Read)
    } else {
        None
    }
}

/// Longer headings are sentences.
const MAX_NAME: usize = 80;

/// Without emphasis, emoji, leading numbers, a colon, and what is in parentheses at the end.
pub(super) fn normalized(heading: &str) -> String {
    static NUMBER: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"^(?:§\s*)?(?:\d+(?:\.\d+)*|[IVX]{1,4}|[A-Z])[.):]\s+|^\d+(?:\.\d+)*\s+")
            .expect("it is a literal")
    });
    if heading.len() > MAX_NAME {
        return String::new();
    }
    let is_mark = |c: char| !c.is_alphanumeric() && c != '(' && c != ')';
    let text = heading.trim_matches(is_mark);
    let text = NUMBER.replace(text, "");
    let text = match text.split_once(" (").or_else(|| text.split_once(" *(")) {
        Some((before, inside)) if inside.trim_end_matches('*').ends_with(')') => before,
        _ => &text,
    };
    text.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase()
}

/// The title after the number of `Phase 2: title`, in several languages.
pub(super) fn phase_title(heading: &str) -> Option<String> {
    static PHASE: LazyLock<Regex> = LazyLock::new(|| {
        let word =
            "phase|milestone|stage|iteration|sprint|étape|etape|schritt|fase|fáze|etapa|этап|фаза";
        Regex::new(&format!(
            r"(?i)^\W*(?:(?:{word})\s+(?:\d+(?:\.\d+)?|[IVX]+|N)\b|(?:阶段|フェーズ|第)\s*\d+\s*(?:阶段)?)[\s—–:：.)\-*_]*(.*?)[*_\s]*$"
        ))
        .expect("it is a literal")
    });
    PHASE.captures(heading).map(|found| found[1].to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_are_recognised_as_people_write_them() {
        for (heading, section) in [
            ("Pass Criteria", Section::Criteria),
            ("✅ Pass Criteria", Section::Criteria),
            ("**5. Pass criteria:**", Section::Criteria),
            ("Success Criteria *(mandatory)*", Section::Criteria),
            ("User Scenarios & Testing *(mandatory)*", Section::Requirements),
            ("3.2 Files to create", Section::Files(Files::Create)),
            ("IV. Umsetzungsplan", Section::Plan),
            ("验收标准", Section::Criteria),
            ("Test Command", Section::TestCommand),
        ] {
            assert_eq!(within(Section::Root, heading), Some(section), "{heading}");
        }
        assert_eq!(within(Section::Root, "How it looks"), None);
        assert_eq!(within(Section::Design, "Overview"), None);
        assert_eq!(within(Section::Plan, "Technical Context"), Some(Section::Design));
    }

    #[test]
    fn phases_are_recognised_with_their_titles() {
        for (heading, title) in [
            ("Phase 1: Parser (2-3 hours)", "Parser (2-3 hours)"),
            ("Phase 3.1 — Setup", "Setup"),
            ("🚀 Milestone 2", ""),
            ("阶段 1：准备", "准备"),
        ] {
            assert_eq!(phase_title(heading).as_deref(), Some(title), "{heading}");
        }
        assert_eq!(phase_title("Phases"), None);
    }
}
