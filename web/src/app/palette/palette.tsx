import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useMatch } from "react-router";
import { currentActions } from "@/domain/actions";
import { buildsQuery } from "@/features/builds/api";
import { contractsQuery } from "@/features/contracts/api";
import { useProjects } from "@/features/projects/api";
import { actionItems, buildItems, contractItems, projectItems } from "./palette-items";
import { PaletteView } from "./palette-view";

/** The command palette: projects, builds, contracts, pages and actions. */
export default function Palette({ onClose }: { onClose: () => void }) {
  const ref = useMatch("/projects/:project/*")?.params.project;
  const [actions] = useState(() => actionItems(currentActions()));
  const all = useProjects().data?.items ?? [];
  const id = all.find(({ id, slug }) => id === ref || slug === ref)?.id;
  // The view stays mounted when the project becomes known, with what was typed.
  const ofProject = useItemsOfProject(id);
  return <PaletteView items={[...actions, ...projectItems(all), ...ofProject]} onClose={onClose} />;
}

function useItemsOfProject(id: string | undefined) {
  const enabled = id !== undefined;
  const builds = useQuery({ ...buildsQuery(id ?? ""), enabled }).data ?? [];
  const contracts = useQuery({ ...contractsQuery(id ?? ""), enabled }).data ?? [];
  return enabled ? [...contractItems(id, contracts), ...buildItems(id, builds)] : [];
}
