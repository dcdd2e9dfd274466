//! The nine contracts written from the answers alone, without a model: enough for a person to edit
//! and for an agent to build on.
//!
//! What the answers leave open is decided once, in [`design`], and all nine tell of the same
//! decisions. Answers are text that anybody wrote: [`quote`] keeps them text.

mod blueprint;
mod boundaries;
mod builder_directive;
mod calls;
mod choices;
mod deeds;
mod design;
mod entities;
mod fields;
mod kit;
mod kits;
mod layers;
mod manifesto;
mod names;
mod page;
mod phases;
mod physics;
mod quote;
mod routes;
mod schema;
mod screens;
mod stack;
mod ui;

use domain::contract::ContractType;

use super::brief::Brief;
use design::Design;

/// One of the nine, for this project.
pub fn draft(kind: ContractType, brief: &Brief) -> String {
    let design = Design::of(brief);
    match kind {
        ContractType::Manifesto => manifesto::write(&design),
        ContractType::Blueprint => blueprint::write(&design),
        ContractType::Stack => stack::write(&design),
        ContractType::Schema => schema::write(&design),
        ContractType::Physics => physics::write(&design),
        ContractType::Boundaries => boundaries::write(&design),
        ContractType::Ui => ui::write(&design),
        ContractType::Phases => phases::write(&design),
        ContractType::BuilderDirective => builder_directive::write(&design),
    }
}

#[cfg(test)]
mod tests;
