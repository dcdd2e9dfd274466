// The layers of the boundaries contract, in rows: each stands above what it imports.
export interface Layer {
  name: string;
  paths: string[];
  rule: string;
  /** Layers. */
  imports: string[];
  /** Packages from outside. */
  outside: string[];
}

/** Null where the text is not what it should be. */
export function readLayers(text: string): Layer[][] | null {
  let listed: unknown;
  try {
    listed = JSON.parse(text)?.layers;
  } catch {
    return null;
  }
  if (!Array.isArray(listed)) return null;
  const found = listed.filter((layer) => typeof layer?.name === "string");
  const names = new Set(found.map(({ name }) => name));
  const layers = found.map(({ name, paths, rule, may_import }): Layer => {
    const imports = texts(may_import).filter((other) => other !== name);
    return {
      name,
      paths: texts(paths),
      rule: typeof rule === "string" ? rule : "",
      imports: imports.filter((other) => names.has(other)),
      outside: imports.filter((other) => !names.has(other)),
    };
  });
  return rows(layers);
}

const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];

function rows(layers: Layer[]): Layer[][] {
  const byName = new Map(layers.map((layer) => [layer.name, layer]));
  const depths = new Map<string, number>();
  // Layers that import each other in a circle are left where they are met first.
  function depth(name: string, above: Set<string>): number {
    const known = depths.get(name);
    if (known !== undefined) return known;
    const below = (byName.get(name)?.imports ?? []).filter((other) => !above.has(other));
    const found = Math.max(-1, ...below.map((other) => depth(other, new Set([...above, name]))));
    depths.set(name, found + 1);
    return found + 1;
  }
  const grouped = new Map<number, Layer[]>();
  for (const layer of layers) {
    const at = depth(layer.name, new Set([layer.name]));
    grouped.set(at, [...(grouped.get(at) ?? []), layer]);
  }
  return [...grouped].sort(([one], [other]) => other - one).map(([, row]) => row);
}
