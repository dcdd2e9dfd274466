// Reads the endpoints of the physics contract.
import { parse } from "yaml";

export interface Endpoint {
  name: string;
  /** `GET /tasks`, or a command. */
  call: string;
  takes: string;
  gives: string;
  errors: string;
}

type Fields = Record<string, unknown>;

/** Null if the text is not valid. */
export function readEndpoints(text: string): Endpoint[] | null {
  const physics = parsed(text);
  const listed = isFields(physics) ? physics.endpoints : null;
  if (!Array.isArray(listed)) return null;
  return listed.filter(isFields).map((endpoint) => ({
    name: words(endpoint.name),
    call: endpoint.call
      ? words(endpoint.call)
      : `${words(endpoint.method).toUpperCase()} ${words(endpoint.path)}`,
    takes: [endpoint.query, endpoint.body].map(words).filter(Boolean).join("; "),
    gives: words(endpoint.returns ?? endpoint.output),
    errors: words(endpoint.errors),
  }));
}

function parsed(text: string): unknown {
  try {
    return parse(text);
  } catch {
    return null;
  }
}

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A value on one line: `id: uuid, title: text`. */
function words(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (Array.isArray(value)) return value.map(words).join(", ");
  if (!isFields(value)) return String(value);
  return Object.entries(value)
    .map(([key, each]) => `${key}: ${Array.isArray(each) ? `[${words(each)}]` : words(each)}`)
    .join(", ");
}
