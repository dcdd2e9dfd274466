//! The configured models and their catalog.

use super::*;

fn access(key: Option<&str>, base_url: Option<&str>) -> Access {
    Access {
        key: key.map(|key| Secret::new(key.to_owned())),
        base_url: base_url.map(str::to_owned),
        ..Access::NONE
    }
}

fn from_file(section: ModelsSection) -> NamedModels {
    NamedModels::new(ModelsSection::default(), section)
}

fn usual(
    named: Option<&str>,
    anthropic: Option<&str>,
    openai: (Option<&str>, Option<&str>),
) -> Result<String, String> {
    let section = ModelsSection { usual: named.map(str::to_owned), ..ModelsSection::default() };
    let openai = access(openai.0, openai.1);
    let keys = Keys { anthropic: access(anthropic, None), openai };
    resolve(from_file(section), BTreeMap::new(), keys, None)
        .map(|settings| settings.usual.model)
        .map_err(|error| error.to_string())
}

#[test]
fn default_model_depends_on_the_available_key() {
    for (anthropic, openai, expected) in [
        (None, None, "offline"),
        (Some("a"), None, DEFAULT_ANTHROPIC_MODEL),
        (None, Some("o"), DEFAULT_OPENAI_MODEL),
        (Some("a"), Some("o"), DEFAULT_ANTHROPIC_MODEL),
    ] {
        assert_eq!(usual(None, anthropic, (openai, None)).unwrap(), expected);
    }
}

#[test]
fn model_without_credentials_is_rejected_with_the_variable_to_set() {
    let refused = |named| usual(Some(named), None, (None, None)).unwrap_err();
    assert!(refused("anthropic/claude-x").contains("ANTHROPIC_API_KEY"));
    assert!(refused("openai/gpt").contains("OPENAI_BASE_URL"));
    assert!(refused("claude").starts_with("models.usual: write who serves it"));
    let own = (None, Some("http://localhost:11434/v1"));
    assert_eq!(usual(Some("openai/qwen/qwen3"), None, own).unwrap(), "qwen/qwen3");
}

#[test]
fn name_can_say_how_much_the_model_thinks() {
    let keys = [access(Some("a"), None), access(Some("o"), None)];
    let read = |name| model_name(name, &keys[0], &keys[1]);
    for (name, model, option) in [
        ("anthropic/claude-x?thinking=8000", "claude-x", "?thinking=8000"),
        ("anthropic/claude-x?effort=max", "claude-x", "?effort=max"),
        ("openai/qwen3:8b?effort=low", "qwen3:8b", "?effort=low"),
        ("openai/qwen3:8b", "qwen3:8b", ""),
    ] {
        let read = read(name).unwrap();
        assert_eq!((read.model.as_str(), read.thinking.to_string().as_str()), (model, option));
    }
    for name in ["openai/gpt?thinking=8000", "openai/gpt?effort=most", "openai/?effort=low"] {
        assert!(read(name).unwrap_err().contains("?effort=low"), "{name}");
    }
}

#[test]
fn default_models_are_known_and_have_no_end_of_life() {
    let catalog = llm::ModelCatalog::default();
    for model in [DEFAULT_ANTHROPIC_MODEL, DEFAULT_OPENAI_MODEL] {
        let facts = catalog.facts(model);
        assert!(facts.price.is_some() && facts.context_window.is_some(), "{model}");
        assert_eq!(facts.end_of_life, None, "{model}");
    }
}

#[test]
fn gateway_without_a_key_serves_the_default_anthropic_model() {
    let anthropic = access(None, Some("http://localhost:4000"));
    let keys = Keys { anthropic, openai: Access::NONE };
    let settings = resolve(NamedModels::default(), BTreeMap::new(), keys, None).unwrap();
    assert_eq!(settings.usual.model, DEFAULT_ANTHROPIC_MODEL);
}

#[test]
fn prices_limits_and_timeouts_are_read_from_the_file() {
    let own = |text: &str| toml::from_str::<BTreeMap<String, CatalogEntry>>(text).unwrap();
    let keys = || Keys { anthropic: Access::NONE, openai: Access::NONE };
    let resolved = |named: &str, text: &str| {
        resolve(from_file(toml::from_str(named).unwrap()), own(text), keys(), None)
    };
    let text = "['claude-sonnet-5-5']\ninput = 1\noutput = 2.5\n[m]\ncontext_window = 8000";
    let settings = resolved("idle_timeout = 5", text).unwrap();
    let price = settings.catalog.facts("claude-sonnet-5-5").price.unwrap();
    assert_eq!((price.input, price.output, price.cache_read), (1_000_000, 2_500_000, 1_000_000));
    assert_eq!(settings.catalog.facts("m").context_window, Some(8_000));
    assert_eq!(settings.catalog.facts("a-model-of-mine").price, None);
    assert_eq!(settings.timeouts.idle, Duration::from_secs(5));
    for wrong in ["[m]\ninput = -1\noutput = 2", "[m]\ninput = 1", "[m]\nmax_output_tokens = 0"] {
        assert!(resolved("", wrong).is_err(), "{wrong}");
    }
    assert!(resolved("idle_timeout = 0", "").is_err());
}

#[test]
fn setting_that_names_a_model_is_recorded() {
    let section = |text: &str| toml::from_str::<ModelsSection>(text).unwrap();
    let environment = section("coder = 'offline'");
    let file = section("usual = 'offline'\ncoder = 'offline'");
    let keys = Keys { anthropic: Access::NONE, openai: Access::NONE };
    let named = NamedModels::new(environment, file);
    let settings = resolve(named, BTreeMap::new(), keys, None).unwrap();
    let expected = [
        (None, "models.usual in the configuration file".to_owned()),
        (Some(Role::Coder), "FORGEGUARD_MODEL_CODER".to_owned()),
    ];
    assert_eq!(settings.fixed_by, BTreeMap::from(expected));
}

#[test]
fn models_with_an_end_of_life_are_listed_once() {
    let named = "usual = 'anthropic/claude-sonnet-4-5'\nscout = 'anthropic/claude-sonnet-4-5'";
    let keys = Keys { anthropic: access(Some("a"), None), openai: Access::NONE };
    let settings =
        resolve(from_file(toml::from_str(named).unwrap()), BTreeMap::new(), keys, None).unwrap();
    assert_eq!(settings.ending(), [("claude-sonnet-4-5", "2026-11-30".to_owned())]);
}

#[test]
fn scenario_selects_the_offline_model() {
    let with_scenario = |named: &str| {
        let section: ModelsSection = toml::from_str(named).unwrap();
        let keys = Keys { anthropic: access(Some("a"), None), openai: access(None, None) };
        resolve(from_file(section), BTreeMap::new(), keys, Some("said.json".into()))
    };
    assert_eq!(with_scenario("").unwrap().usual, offline());
    let one_role = "usual = 'anthropic/claude-x'\nfixer = 'offline'";
    assert_eq!(with_scenario(one_role).unwrap().by_role[&Role::Fixer], offline());
    let error = with_scenario("usual = 'anthropic/claude-x'").unwrap_err().to_string();
    assert!(error.starts_with("scenario: "), "{error}");
}
