// Reads the boundaries contract as rows of layers; each layer is above the ones it imports.
export interface Layer {
  name: string;
  paths: string[];
  rule: string;
  /** Layers. */
  imports: string[];
  /** External packages. */
  outside: string[];
}

/** Null if the text is not valid. */
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
  // Layers in a cycle stay where they are found first.
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
