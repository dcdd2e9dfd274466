// Files that tools write. Their changes are collapsed at first.
const NAMES = new Set([
  "Cargo.lock",
  "Gemfile.lock",
  "composer.lock",
  "go.sum",
  "package-lock.json",
  "pnpm-lock.yaml",
  "poetry.lock",
  "uv.lock",
  "yarn.lock",
]);
const PATTERN =
  /(^|\/)(node_modules|vendor|dist|__snapshots__|__generated__|generated)\/|\.min\.(js|css)$|\.(map|snap)$|\.pb\.go$|_pb2\.py$/;

export const isGenerated = (path: string): boolean =>
  NAMES.has(path.slice(path.lastIndexOf("/") + 1)) || PATTERN.test(path);
