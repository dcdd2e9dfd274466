//! The physics: every call with what it takes and gives, as YAML.

use domain::questionnaire::SectionId;
use serde::{Serialize, Serializer, ser::SerializeMap};
use serde_saphyr::{FlowMap, FlowSeq, SerializerOptions};

use super::{
    calls::Call,
    choices::Interface,
    deeds::Reach,
    design::Design,
    entities::Entity,
    fields::{Field, FieldType},
    names::{spoken, type_name},
    quote::plain,
    routes::{Route, given},
};

/// In the order in which it is written.
#[derive(Serialize)]
struct Physics {
    info: Info,
    access: String,
    endpoints: Vec<Endpoint>,
    shapes: Fields<FlowMap<Fields<String>>>,
}

#[derive(Serialize)]
struct Info {
    title: String,
    version: &'static str,
    description: String,
}

#[derive(Serialize)]
struct Endpoint {
    name: String,
    about: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    method: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    call: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    query: Option<FlowMap<Fields<String>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    body: Option<FlowMap<Fields<String>>>,
    returns: Returns,
    errors: FlowSeq<Vec<Error>>,
}

/// Names with values, in their order.
struct Fields<V>(Vec<(String, V)>);

impl<V: Serialize> Serialize for Fields<V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in &self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

#[derive(Serialize)]
#[serde(untagged)]
enum Returns {
    One(String),
    Many(FlowMap<Fields<FlowSeq<[String; 1]>>>),
}

#[derive(Serialize)]
#[serde(untagged)]
enum Error {
    Status(u16),
    Words(String),
}

pub(super) fn write(design: &Design<'_>) -> String {
    let physics = Physics {
        info: Info {
            title: design.title.clone(),
            version: "1.0.0",
            description: described(design),
        },
        access: access(design),
        endpoints: design.calls.iter().map(|call| endpoint(call, design)).collect(),
        shapes: Fields(design.entities.iter().map(shape).collect()),
    };
    let mut options = SerializerOptions::default();
    options.prefer_block_scalars = false;
    options.compact_list_indent = false;
    serde_saphyr::to_string_with_options(&physics, options)
        .unwrap_or_else(|error| unreachable!("texts and numbers alone: {error}"))
}

fn described(design: &Design<'_>) -> String {
    let style = design.brief.choice(SectionId::ApiEndpoints, "style");
    let of = match design.choices.interface {
        Interface::Http => "HTTP with JSON",
        Interface::Commands => "Commands that people type",
        Interface::Functions => "Functions, called from code",
    };
    match style {
        Some(style) if style.eq_ignore_ascii_case("not at all") => {
            format!("{of}. Only the product itself calls them.")
        }
        Some(style) if !style.eq_ignore_ascii_case(of) => format!("{}: {of}.", plain(style, 200)),
        _ => format!("{of}."),
    }
}

fn access(design: &Design<'_>) -> String {
    if let Some(access) = design.said(SectionId::ApiEndpoints, "access") {
        return plain(access, 2_000);
    }
    match (design.choices.interface, design.choices.signs_in) {
        (_, true) => "Everybody may sign in; all other calls need a session.".to_owned(),
        (Interface::Http, false) => {
            "Everybody who reaches its address; it belongs behind a wall of its own.".to_owned()
        }
        _ => "Whoever may start the program.".to_owned(),
    }
}

fn endpoint(call: &Call, design: &Design<'_>) -> Endpoint {
    let entity = call.entity.map(|index| &design.entities[index]);
    let (method, path, written) = match &call.route {
        Route::Http { method, path } => (Some(*method), Some(path.clone()), None),
        Route::Call(call) => (None, None, Some(call.clone())),
    };
    let is_http = method.is_some();
    let reach = call.deed.map(|deed| deed.reach);
    let pages = || Fields(vec![field("after", "uuid?"), field("limit", "integer?")]);
    let body = body(call, entity).filter(|_| is_http && method != Some("GET"));
    Endpoint {
        name: call.name.clone(),
        about: call.about.clone(),
        method,
        path,
        call: written,
        query: (is_http && reach == Some(Reach::Many)).then(|| FlowMap(pages())),
        body: body.map(|fields| FlowMap(Fields(fields))),
        returns: returns(call, entity),
        errors: FlowSeq(errors(call, entity, design, is_http)),
    }
}

fn field(name: &str, of: &str) -> (String, String) {
    (name.to_owned(), of.to_owned())
}

fn typed(of: &Field, is_optional: bool) -> (String, String) {
    field(&of.name, &format!("{}{}", of.type_word(), if is_optional { "?" } else { "" }))
}

fn body(call: &Call, entity: Option<&Entity>) -> Option<Vec<(String, String)>> {
    if call.is_session {
        return (call.name == "sign_in")
            .then(|| vec![field("email", "text"), field("password", "text")]);
    }
    let (deed, entity) = (call.deed?, entity?);
    let fields = given(entity);
    match deed.reach {
        Reach::New if deed.name == "import" => Some(vec![field("file", "bytes")]),
        Reach::New => {
            let is_left_open = |of: &Field| of.is_optional || of.holds == FieldType::Boolean;
            let mut body: Vec<_> = fields.iter().map(|of| typed(of, is_left_open(of))).collect();
            if entity.fields.iter().any(|field| field.holds == FieldType::Secret) {
                body.push(field("password", "text"));
            }
            Some(body)
        }
        Reach::Change => Some(fields.iter().map(|of| typed(of, true)).collect()),
        _ => None,
    }
}

fn returns(call: &Call, entity: Option<&Entity>) -> Returns {
    let nothing = || Returns::One("nothing".to_owned());
    let Some(entity) = entity else { return Returns::One("text".to_owned()) };
    if call.name == "sign_out" {
        return nothing();
    }
    let one = type_name(&entity.name);
    match call.deed.map(|deed| (deed.reach, deed.name)) {
        Some((Reach::Many, "export")) => Returns::One("file".to_owned()),
        Some((Reach::Many, _)) | Some((_, "import")) => {
            Returns::Many(FlowMap(Fields(vec![("items".to_owned(), FlowSeq([one]))])))
        }
        Some((Reach::Gone, _)) => nothing(),
        _ => Returns::One(one),
    }
}

fn errors(call: &Call, entity: Option<&Entity>, design: &Design<'_>, is_http: bool) -> Vec<Error> {
    let reach = call.deed.map(|deed| deed.reach);
    let names_one = matches!(reach, Some(Reach::One | Reach::Change | Reach::Gone | Reach::Act));
    let can_be_wrong = matches!(reach, Some(Reach::New | Reach::Change));
    if is_http {
        let known = [
            (401, design.choices.signs_in && call.name != "sign_out"),
            (404, names_one),
            (409, reach == Some(Reach::Act)),
            (422, can_be_wrong || call.name == "sign_in"),
        ];
        return known.into_iter().filter(|(_, is)| *is).map(|(of, _)| Error::Status(of)).collect();
    }
    let thing = entity.map_or_else(|| "input".to_owned(), |entity| spoken(&entity.name));
    let known = [
        (format!("unknown {thing}"), names_one),
        (format!("the {thing} is in another state"), reach == Some(Reach::Act)),
        (format!("a field of the {thing} breaks its rule"), can_be_wrong),
    ];
    known.into_iter().filter(|(_, is)| *is).map(|(of, _)| Error::Words(of)).collect()
}

fn shape(entity: &Entity) -> (String, FlowMap<Fields<String>>) {
    let shown = entity.fields.iter().filter(|field| field.holds != FieldType::Secret);
    let fields = shown.map(|field| typed(field, field.is_optional)).collect();
    (type_name(&entity.name), FlowMap(Fields(fields)))
}
