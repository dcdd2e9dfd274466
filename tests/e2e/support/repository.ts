// Repositories of projects, pushed with the real git.
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import type { Api } from "./api";

const run = promisify(execFile);

type Files = Record<string, string>;
type Git = (...flags: string[]) => Promise<unknown>;

/** Pushes files, by their paths, as the only commit of the default branch. */
export const pushFiles = (address: string, api: Api, project: string, files: Files) =>
  push(address, api, project, "main", files, (git) => git("init", "-q", "-b", "main"));

/** Pushes a commit with these files to a branch. */
export const pushCommit = (
  address: string,
  api: Api,
  project: string,
  branch: string,
  files: Files,
) =>
  push(address, api, project, branch, files, (git, url) =>
    git("clone", "-q", "-b", branch, url, "."),
  );

async function push(
  address: string,
  api: Api,
  project: string,
  branch: string,
  files: Files,
  begin: (git: Git, url: string) => Promise<unknown>,
): Promise<void> {
  const { key } = await api.post<{ key: string }>("/api/forge-keys", { name: "git" });
  const url = `${address.replace("http://", `http://git:${key}@`)}/git/${project}.git`;
  const folder = await mkdtemp(join(tmpdir(), "forgeguard-e2e-"));
  const env = { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };
  const git: Git = (...flags) => run("git", flags, { cwd: folder, env });
  try {
    await begin(git, url);
    for (const [path, content] of Object.entries(files)) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), content);
    }
    await git("add", "-A");
    const author = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"];
    await git(...author, "commit", "-q", "-m", "All files");
    await git("push", "-q", url, branch);
  } finally {
    await rm(folder, { recursive: true });
  }
}
