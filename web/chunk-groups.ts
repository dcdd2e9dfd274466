// How the build distributes modules over files: two for what several pages need, instead of one for each module.
// On slow links, each file costs more than what it contains.
import { dirname, join } from "node:path";
import { fileURLToPath, URL } from "node:url";
import type { Plugin } from "vite";

interface ModuleInfos {
  getModuleInfo: (id: string) => { importedIds: string[]; code: string | null } | null;
}

const APP = fileURLToPath(new URL("./src/app/app.tsx", import.meta.url));
/** What the entry needs to load everything else. */
const ENTRY = /\/src\/(main|early-page|app\/pages|lib\/early-requests)\.ts$|vite\/preload-helper/;
/** Large, and needed by few pages. */
const HEAVY =
  /node_modules\/(@codemirror|@lezer|react-markdown|remark|micromark|mdast|unified|hast|yaml|fflate)|src\/components\/(markdown|code\/(highlight-diff|highlighter|code-\w+)\.tsx?)/;
/** Modules that only export what others define. Each of them "imports" a whole library. */
const BARREL = /@mantine\/[\w-]+\/esm\/index\.mjs$|tabler-icons-react\.mjs$/;
const IMPORT = /import\s*\{([^}]*)\}\s*from\s*["']([^"']+)["']/g;
const REEXPORT = /(?:import|export)\s*\{\s*([^}]*?)\s*\}\s*from\s*["'](\.[^"']+)["']/g;

let first: Set<string> | undefined;

/** Whether a module is loaded before any page, as is what rolldown adds to every file. */
function isFirst(id: string, infos: ModuleInfos): boolean {
  first ??= modulesOfApp(infos);
  return first.has(id) || id.includes("rolldown/runtime");
}

function modulesOfApp(infos: ModuleInfos): Set<string> {
  const found = new Set([APP]);
  const barrels = new Map<string, Map<string, string>>();
  for (const id of found) {
    const info = infos.getModuleInfo(id);
    for (const next of info?.importedIds ?? []) {
      if (!BARREL.test(next)) {
        found.add(next);
        continue;
      }
      const files = barrels.get(next) ?? exportsOf(next, infos.getModuleInfo(next)?.code ?? "");
      barrels.set(next, files);
      for (const name of importedNames(info?.code ?? "")) {
        const file = files.get(name);
        if (file) found.add(file);
      }
    }
  }
  return found;
}

const importedNames = (code: string) =>
  [...code.matchAll(IMPORT)].flatMap(([, names = ""]) => names.split(",").map(nameOf));

/** `Button as B` imports `Button`. */
const nameOf = (text: string) => text.trim().split(/\s+as\s+/)[0] ?? "";

/** The files that define what a barrel exports. */
function exportsOf(barrel: string, code: string): Map<string, string> {
  const files = new Map<string, string>();
  for (const [, names = "", path = ""] of code.matchAll(REEXPORT)) {
    for (const name of names.split(",")) {
      files.set(
        name
          .trim()
          .split(/\s+as\s+/)
          .at(-1) ?? "",
        join(dirname(barrel), path),
      );
    }
  }
  return files;
}

/** Loads what all pages need at the same time as the entry. */
export function preloadShared(): Plugin {
  return {
    name: "preload-shared",
    transformIndexHtml: {
      order: "post",
      handler: (_, { bundle }) =>
        ["first", "shared", "rolldown-runtime"].flatMap((name) =>
          Object.keys(bundle ?? {})
            .filter((file) => file.startsWith(`assets/${name}-`) && file.endsWith(".js"))
            .map((file) => ({
              tag: "link",
              injectTo: "head" as const,
              attrs: {
                rel: "modulepreload",
                crossorigin: true,
                href: `/${file}`,
                ...(name === "shared" && { fetchpriority: "low" }),
              },
            })),
        ),
    },
  };
}

/** Only these modules are distributed, not what they import: the entry keeps its own. */
export const CHUNK_GROUPS = [
  {
    debugName: "first",
    priority: 2,
    name: (id: string, infos: ModuleInfos) =>
      !ENTRY.test(id) && isFirst(id, infos) ? "first" : null,
  },
  {
    debugName: "shared",
    priority: 1,
    minShareCount: 2,
    name: (id: string) => (ENTRY.test(id) || HEAVY.test(id) ? null : "shared"),
  },
];
