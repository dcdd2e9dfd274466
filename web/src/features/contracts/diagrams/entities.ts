// Reads the entities of the schema contract with their fields and references.
import { fieldsOfItems, fieldsOfTable, type WrittenField } from "./entity-fields";
import { findTarget } from "./entity-targets";
import { type MarkdownSection, markdownSections, plain } from "./markdown-sections";

export interface EntityField {
  name: string;
  type: string;
  /** The referenced entity. */
  to: string | null;
  /** Whether the reference may be empty. */
  optional: boolean;
}

export interface Entity {
  name: string;
  fields: EntityField[];
}

interface WrittenEntity {
  name: string;
  fields: WrittenField[];
  /** Fields that contain an entity, by name. */
  holds: Map<string, string>;
}

/** In the order of the text; empty if no known format is recognized. */
export function readEntities(text: string): Entity[] {
  const written = joined(markdownSections(text).flatMap(entitiesOf));
  const names = written.map(({ name }) => name);
  return written.map(({ name, fields, holds }) => ({
    name,
    fields: fields.map((field) => ({
      name: field.name,
      type: field.type,
      to: holds.get(field.name) ?? findTarget(field, names),
      optional: /\b(may be (empty|null|missing)|optional|nullable|or null|or none)\b|\?$/i.test(
        `${field.note} ${field.type}`,
      ),
    })),
  }));
}

function entitiesOf(part: MarkdownSection): WrittenEntity[] {
  const fields = part.tables.flatMap(fieldsOfTable);
  if (fields.some(({ name }) => /[.[]/.test(name))) return ofPaths(fields, nameOf(part));
  const listed = fields.length > 0 ? fields : fieldsOfItems(part.items);
  if (part.level < 2 || listed.length === 0) return [];
  return [{ name: nameOf(part), fields: listed, holds: new Map() }];
}

/** "2.1 The `members` table" names `members`. */
function nameOf({ heading }: MarkdownSection): string {
  const [, code] = /`([^`]+)`/.exec(heading) ?? [];
  const words = plain(heading)
    .replace(/^[\d.]+\s+/, "")
    .replace(/^(entity|table|collection|model|the)\b:?\s+/i, "")
    .replace(/\s+\(.*\)$/, "")
    .replace(/\s+(entity|table|collection|model)$/i, "");
  return code ?? words;
}

/** A document whose parts are given by paths: each part with fields of its own is an entity. */
function ofPaths(fields: WrittenField[], document: string): WrittenEntity[] {
  const places = fields.map((field) => {
    const path = field.name.replaceAll("[]", "").split(".");
    return { field, parent: path.slice(0, -1).join("."), path: path.join(".") };
  });
  const parents = new Set(places.map(({ parent }) => parent).filter(Boolean));
  const last = (path: string) => path.slice(path.lastIndexOf(".") + 1);
  const isAlone = (path: string) => [...parents].filter((p) => last(p) === last(path)).length === 1;
  const name = (path: string) => (isAlone(path) ? last(path) : path);
  // A root without fields of its own is not an entity.
  const holdsMore = places.some(({ parent, path }) => parent === "" && !parents.has(path));
  return [...(holdsMore ? [""] : []), ...parents].map((parent) => {
    const own = places.filter((place) => place.parent === parent);
    return {
      name: parent ? name(parent) : document,
      fields: own.map(({ field, path }) => ({ ...field, name: last(path) })),
      holds: new Map(
        own.filter(({ path }) => parents.has(path)).map(({ path }) => [last(path), name(path)]),
      ),
    };
  });
}

/** Merges sections about the same entity. */
function joined(entities: WrittenEntity[]): WrittenEntity[] {
  const byName = new Map<string, WrittenEntity>();
  for (const entity of entities) {
    const known = byName.get(entity.name);
    if (known) known.fields.push(...entity.fields);
    else byName.set(entity.name, entity);
  }
  return [...byName.values()];
}
