// Reduces API documents of forges to the requests that `server/forge` makes, as JSON schemas:
//   node reduce.mjs forgejo <swagger.json> > forgejo.json
//   node reduce.mjs github <openapi.json> > github.json
// Descriptions and examples are left out; names, types, formats, enums and required fields are kept.
import { readFileSync } from 'node:fs';

const REPOSITORY = '/repos/{owner}/{repo}';
const FORGEJO = [
  ['get', '/pulls'],
  ['post', '/pulls'],
  ['get', '/pulls/{index}'],
  ['post', '/pulls/{index}/requested_reviewers'],
  ['get', '/pulls/{index}/reviews'],
  ['get', '/pulls/{index}/reviews/{id}/comments'],
  ['get', '/issues/{index}'],
  ['post', '/issues/{index}/labels'],
  ['get', '/commits/{ref}/status'],
  ['post', '/statuses/{sha}'],
];
const GITHUB = [
  ['get', '/pulls'],
  ['post', '/pulls'],
  ['get', '/pulls/{pull_number}'],
  ['post', '/pulls/{pull_number}/requested_reviewers'],
  ['get', '/pulls/{pull_number}/reviews'],
  ['get', '/pulls/{pull_number}/comments'],
  ['post', '/statuses/{sha}'],
];
// Forgejo's document names no required fields, but its server requires these.
const REQUIRED = { CreatePullRequestOption: ['title', 'head', 'base'], CreateStatusOption: ['state'] };
const KEPT = ['type', 'format', 'enum', 'required', 'properties', 'items', '$ref', 'oneOf', 'anyOf', 'allOf', 'additionalProperties'];

const [kind, file] = process.argv.slice(2);
const source = JSON.parse(readFileSync(file, 'utf8'));
const isForgejo = kind === 'forgejo';
const prefix = isForgejo ? '/api/v1' : '';
const definitions = isForgejo ? source.definitions : source.components.schemas;
const found = {};

function schema(node) {
  if (typeof node !== 'object' || node === null) return node;
  const kept = {};
  for (const key of KEPT.filter((key) => key in node)) {
    const value = node[key];
    if (key === '$ref') kept.$ref = reference(value);
    else if (key === 'properties') kept[key] = Object.fromEntries(Object.entries(value).map(([name, of]) => [name, schema(of)]));
    else if (['oneOf', 'anyOf', 'allOf'].includes(key)) kept[key] = value.map(schema);
    else if (['items', 'additionalProperties'].includes(key)) kept[key] = schema(value);
    else kept[key] = value;
  }
  if (node.nullable) {
    if (kept.type) kept.type = [kept.type, 'null'];
    if (kept.enum) kept.enum = [...kept.enum, null];
    return kept.type ? kept : { anyOf: [kept, { type: 'null' }] };
  }
  return kept;
}

function reference(text) {
  const name = text.split('/').at(-1);
  if (!(name in found)) {
    found[name] = true;
    found[name] = { ...schema(definitions[name]), ...(REQUIRED[name] && isForgejo ? { required: REQUIRED[name] } : {}) };
  }
  return `#/$defs/${name}`;
}

function resolved(node) {
  return node.$ref ? resolved(node.$ref.slice(2).split('/').reduce((at, key) => at[key], source)) : node;
}

function operation(of) {
  const parameters = (of.parameters ?? []).map(resolved);
  const query = Object.fromEntries(parameters.filter((one) => one.in === 'query').map((one) => [one.name, schema(one.schema ?? { type: one.type, enum: one.enum })]));
  const body = isForgejo ? parameters.find((one) => one.in === 'body')?.schema : of.requestBody?.content['application/json'].schema;
  const responses = Object.entries(of.responses).map(([status, reply]) => {
    const full = resolved(reply);
    return [status, schema(full.schema ?? full.content?.['application/json']?.schema ?? {})];
  });
  return { query, body: body ? schema(body) : null, responses: Object.fromEntries(responses) };
}

const paths = {};
for (const [method, path] of isForgejo ? FORGEJO : GITHUB) {
  paths[path] ??= {};
  paths[path][method] = operation(source.paths[prefix + REPOSITORY + path][method]);
}
const info = { title: source.info.title, version: source.info.version };
process.stdout.write(`${JSON.stringify({ source: info, base: prefix + REPOSITORY, paths, $defs: found })}\n`);
