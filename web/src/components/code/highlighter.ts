// The class of each kind of token, named after the `--code-…` variables.
import { tags as t, tagHighlighter } from "@lezer/highlight";

export const highlighter = tagHighlighter([
  { tag: t.comment, class: "comment" },
  {
    tag: [t.keyword, t.modifier, t.operatorKeyword, t.self, t.definitionKeyword],
    class: "keyword",
  },
  { tag: [t.string, t.regexp, t.character, t.special(t.string), t.monospace], class: "string" },
  { tag: [t.number, t.bool, t.null, t.atom, t.unit, t.escape], class: "constant" },
  {
    tag: [
      t.function(t.variableName),
      t.function(t.propertyName),
      t.function(t.definition(t.variableName)),
      t.macroName,
    ],
    class: "function",
  },
  { tag: [t.typeName, t.className, t.namespace, t.tagName, t.heading], class: "type" },
  { tag: [t.attributeName, t.propertyName, t.link, t.url], class: "name" },
  { tag: [t.meta, t.processingInstruction], class: "comment" },
]);
