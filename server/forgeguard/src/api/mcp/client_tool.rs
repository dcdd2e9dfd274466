//! The trait of tools for MCP clients.

use domain::key_scope::KeyScope;
use futures::future::BoxFuture;
use rmcp::model::{JsonObject, Tool as Definition, ToolAnnotations};
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::call::{BUILD, Call, PROJECT, Rejection};

/// The properties of a tool that clients see, besides its schemas.
#[derive(Clone, Copy)]
pub struct Properties {
    pub name: &'static str,
    pub title: &'static str,
    pub description: &'static str,
    /// A key must have it to see and call the tool.
    pub scope: KeyScope,
    pub effect: ClientEffect,
    /// What the call can be about.
    pub about: About,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClientEffect {
    Read,
    /// Changes something, and loses nothing.
    Add,
    /// Ends or overwrites something.
    Destroy,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum About {
    /// Neither a project nor a build.
    Nothing,
    Project,
    Build,
}

/// The result of a call: text for models, and data for programs.
pub struct ClientReply {
    pub text: String,
    pub data: Value,
}

/// The reply to a call. A function that returns it is checked once to be `Send`; methods of
/// `async_trait` would be checked with all that they call, for each tool again.
pub type Replying<'a> = BoxFuture<'a, Result<ClientReply, Rejection>>;

pub trait ClientTool: Send + Sync {
    fn properties(&self) -> Properties;
    /// JSON Schema of its input, an object, without the project and the build.
    fn input(&self) -> Value;
    /// JSON Schema of its data, an object.
    fn output(&self) -> Value;
    fn call<'a>(&'a self, call: &'a Call, input: Value) -> Replying<'a>;
}

impl ClientReply {
    /// Data, with itself as the text.
    pub fn of(data: &impl Serialize) -> Result<Self, Rejection> {
        let data = serde_json::to_value(data).map_err(|error| Rejection(error.to_string()))?;
        Ok(Self { text: data.to_string(), data })
    }
}

/// The definition of a tool in `tools/list`.
pub fn definition(tool: &dyn ClientTool) -> Definition {
    let Properties { name, title, description, effect, about, .. } = tool.properties();
    let hints = ToolAnnotations::with_title(title)
        .read_only(effect == ClientEffect::Read)
        .destructive(effect == ClientEffect::Destroy)
        .idempotent(effect == ClientEffect::Read)
        .open_world(false);
    Definition::new(name, description, with_target(object(tool.input()), about))
        .with_title(title)
        .with_raw_output_schema(object(tool.output()).into())
        .with_annotations(hints)
}

fn with_target(mut schema: JsonObject, about: About) -> JsonObject {
    schema.entry("type").or_insert_with(|| json!("object"));
    let properties = schema.entry("properties").or_insert_with(|| json!({}));
    let Some(properties) = properties.as_object_mut() else { return schema };
    let text = |description| json!({ "type": "string", "description": description });
    if about != About::Nothing {
        let project = text("Id or slug of the project. Default: that of the session.");
        properties.insert(PROJECT.into(), project);
        let build = match about {
            About::Build => {
                "Id of the build, or its number in the project. Default: that of the session."
            }
            _ => "Id of a build, or its number in the project, to use its state instead.",
        };
        properties.insert(BUILD.into(), text(build));
    }
    schema
}

fn object(schema: Value) -> JsonObject {
    match schema {
        Value::Object(schema) => schema,
        _ => Map::new(),
    }
}

/// A tool whose call is one function; the rest are its properties and schemas.
macro_rules! client_tool {
    ($tool:ident, $params:ty => $data:ty, $name:literal, $title:literal, $scope:ident, $effect:ident,
        $about:ident, $description:literal, $call:path) => {
        struct $tool;

        impl ClientTool for $tool {
            fn properties(&self) -> Properties {
                Properties {
                    name: $name,
                    title: $title,
                    description: $description,
                    scope: KeyScope::$scope,
                    effect: ClientEffect::$effect,
                    about: About::$about,
                }
            }

            fn input(&self) -> Value {
                input::schema::<$params>()
            }

            fn output(&self) -> Value {
                input::schema::<$data>()
            }

            fn call<'a>(&'a self, call: &'a Call, input: Value) -> Replying<'a> {
                Box::pin(async move {
                    let params: $params = input::read(input)?;
                    ClientReply::of(&$call(call, params).await?)
                })
            }
        }
    };
}

pub(super) use client_tool;
