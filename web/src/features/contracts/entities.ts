// The entities of the schema contract: what is kept, its fields, and which field leads to which entity.
import { fieldsOfItems, fieldsOfTable, type WrittenField } from "./entity-fields";
import { findTarget } from "./entity-targets";
import { type MarkdownPart, markdownParts, plain } from "./markdown-parts";

export interface EntityField {
  name: string;
  type: string;
  /** The entity that it leads to. */
  to: string | null;
  /** Whether it may lead nowhere. */
  optional: boolean;
}

export interface Entity {
  name: string;
  fields: EntityField[];
}

interface WrittenEntity {
  name: string;
  fields: WrittenField[];
  /** Fields that hold an entity, by their name. */
  holds: Map<string, string>;
}

/** In the order of the text; empty where it does not speak of entities in a form that is known. */
export function readEntities(text: string): Entity[] {
  const written = joined(markdownParts(text).flatMap(entitiesOf));
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

function entitiesOf(part: MarkdownPart): WrittenEntity[] {
  const fields = part.tables.flatMap(fieldsOfTable);
  if (fields.some(({ name }) => /[.[]/.test(name))) return ofPaths(fields, nameOf(part));
  const listed = fields.length > 0 ? fields : fieldsOfItems(part.items);
  if (part.level < 2 || listed.length === 0) return [];
  return [{ name: nameOf(part), fields: listed, holds: new Map() }];
}

/** "2.1 The `members` table" is about `members`. */
function nameOf({ heading }: MarkdownPart): string {
  const [, code] = /`([^`]+)`/.exec(heading) ?? [];
  const words = plain(heading)
    .replace(/^[\d.]+\s+/, "")
    .replace(/^(entity|table|collection|model|the)\b:?\s+/i, "")
    .replace(/\s+\(.*\)$/, "")
    .replace(/\s+(entity|table|collection|model)$/i, "");
  return code ?? words;
}

/** One document whose parts are named by paths: each part that holds others is an entity. */
function ofPaths(fields: WrittenField[], document: string): WrittenEntity[] {
  const places = fields.map((field) => {
    const path = field.name.replaceAll("[]", "").split(".");
    return { field, parent: path.slice(0, -1).join("."), path: path.join(".") };
  });
  const parents = new Set(places.map(({ parent }) => parent).filter(Boolean));
  const last = (path: string) => path.slice(path.lastIndexOf(".") + 1);
  const isAlone = (path: string) => [...parents].filter((p) => last(p) === last(path)).length === 1;
  const name = (path: string) => (isAlone(path) ? last(path) : path);
  // What only holds the others is no entity of its own.
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

/** Two parts about one entity are one. */
function joined(entities: WrittenEntity[]): WrittenEntity[] {
  const byName = new Map<string, WrittenEntity>();
  for (const entity of entities) {
    const known = byName.get(entity.name);
    if (known) known.fields.push(...entity.fields);
    else byName.set(entity.name, entity);
  }
  return [...byName.values()];
}
