//! JSON request bodies, from which structs are parsed only if they are objects.
//!
//! Derived `Deserialize` implementations also accept an array with the fields in order, at every
//! level of a body. [`JsonValue`] rejects that, and keeps duplicate fields, which derived
//! implementations reject.

use std::fmt;

use serde::{
    Deserialize, Deserializer,
    de::{
        Error as _, IntoDeserializer, MapAccess, SeqAccess, Unexpected, Visitor,
        value::{MapAccessDeserializer, MapDeserializer, SeqDeserializer},
    },
    forward_to_deserialize_any,
};
use serde_json::{Error, Value};

#[derive(Debug)]
pub enum JsonValue {
    /// Neither an array nor an object.
    Scalar(Value),
    Array(Vec<Self>),
    Object(Vec<(String, Self)>),
}

impl<'de> Deserialize<'de> for JsonValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(JsonVisitor)
    }
}

struct JsonVisitor;

impl JsonVisitor {
    fn scalar<E: serde::de::Error>(value: impl Into<Value>) -> Result<JsonValue, E> {
        Ok(JsonValue::Scalar(value.into()))
    }
}

impl<'de> Visitor<'de> for JsonVisitor {
    type Value = JsonValue;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E: serde::de::Error>(self) -> Result<JsonValue, E> {
        Self::scalar(())
    }

    fn visit_bool<E: serde::de::Error>(self, value: bool) -> Result<JsonValue, E> {
        Self::scalar(value)
    }

    fn visit_i64<E: serde::de::Error>(self, value: i64) -> Result<JsonValue, E> {
        Self::scalar(value)
    }

    fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<JsonValue, E> {
        Self::scalar(value)
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<JsonValue, E> {
        Self::scalar(value)
    }

    fn visit_str<E: serde::de::Error>(self, value: &str) -> Result<JsonValue, E> {
        Self::scalar(value)
    }

    fn visit_string<E: serde::de::Error>(self, value: String) -> Result<JsonValue, E> {
        Self::scalar(value)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<JsonValue, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = access.next_element()? {
            items.push(item);
        }
        Ok(JsonValue::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<JsonValue, A::Error> {
        let mut fields = Vec::new();
        while let Some(field) = access.next_entry()? {
            fields.push(field);
        }
        Ok(JsonValue::Object(fields))
    }
}

impl<'de> IntoDeserializer<'de, Error> for JsonValue {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for JsonValue {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self {
            Self::Scalar(value) => value.deserialize_any(visitor),
            Self::Array(items) => SeqDeserializer::new(items.into_iter()).deserialize_any(visitor),
            Self::Object(fields) => visitor.visit_map(MapDeserializer::new(fields.into_iter())),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        match self {
            Self::Array(_) => Err(Error::invalid_type(Unexpected::Seq, &"an object")),
            value => value.deserialize_any(visitor),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self {
            Self::Scalar(Value::Null) => visitor.visit_none(),
            value => visitor.visit_some(value),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        match self {
            Self::Scalar(value) => value.deserialize_enum(name, variants, visitor),
            Self::Array(_) => Err(Error::invalid_type(Unexpected::Seq, &"string or map")),
            Self::Object(fields) => {
                let fields = MapDeserializer::new(fields.into_iter());
                visitor.visit_enum(MapAccessDeserializer::new(fields))
            }
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct seq tuple tuple_struct map identifier ignored_any
    }
}
