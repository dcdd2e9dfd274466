// The items of the command palette.

import { type Action, actionLabels } from "@/domain/actions";
import { buildName } from "@/domain/build-name";
import { buildState } from "@/domain/build-status";
import { CONTRACTS, contractName } from "@/domain/contract-names";
import type { BuildSummary, ContractSummary, Project } from "@/lib/api";
import { formatDate } from "@/lib/format";
import { paths } from "@/lib/paths";

export type ItemKind = "action" | "go" | "contract" | "build" | "project" | "everywhere";

export interface PaletteItem {
  key: string;
  kind: ItemKind;
  label: string;
  /** Shown beside the label, and searched too. */
  detail?: string;
  keys?: string;
  /** A path in the app, or a function to run. */
  to: string | (() => void);
}

export const KINDS: Record<ItemKind, string> = {
  action: "On this screen",
  go: "Go to",
  contract: "Contracts of this project",
  build: "Builds of this project",
  project: "Projects",
  everywhere: "ForgeGuard",
};

export function actionItems(actions: Action[]): PaletteItem[] {
  return actions.flatMap(({ name, run }) => {
    const { label, keys, keyOnly, screen } = actionLabels(name);
    const kind = name.startsWith("go") ? "go" : screen === "Everywhere" ? "everywhere" : "action";
    return keyOnly ? [] : [{ key: `action:${name}`, kind, label, keys, to: run } as const];
  });
}

export const contractItems = (project: string, contracts: ContractSummary[]): PaletteItem[] =>
  contracts.map(({ type }) => ({
    key: `contract:${type}`,
    kind: "contract",
    label: contractName(type),
    detail: CONTRACTS[type]?.about,
    to: paths.contract(project, type),
  }));

export const buildItems = (project: string, builds: BuildSummary[]): PaletteItem[] =>
  builds.map((build) => {
    const { id, number, created_at } = build;
    return {
      key: `build:${id}`,
      kind: "build",
      label: buildName(build),
      detail: `${buildState(build).label} · ${formatDate(created_at)}`,
      to: paths.build(project, number),
    };
  });

export const projectItems = (projects: Project[]): PaletteItem[] =>
  projects.map(({ id, name, description }) => ({
    key: `project:${id}`,
    kind: "project",
    label: name,
    detail: description,
    to: paths.project(id),
  }));
