import { useState } from "react";
import { useMatch } from "react-router";
import { currentActions } from "@/domain/actions";
import { useBuilds } from "@/features/builds/api";
import { useContracts } from "@/features/contracts/api";
import { useProjects } from "@/features/projects/api";
import { actionItems, buildItems, contractItems, projectItems } from "./palette-items";
import { PaletteView, type PaletteViewProps } from "./palette-view";

/** The command palette: projects, builds, contracts, pages and actions. */
export default function Palette({ onClose }: { onClose: () => void }) {
  const ref = useMatch("/projects/:project/*")?.params.project;
  const [actions] = useState(() => actionItems(currentActions()));
  const all = useProjects().data?.items ?? [];
  const id = all.find(({ id, slug }) => id === ref || slug === ref)?.id;
  const projects = projectItems(all);
  const items = [...actions, ...projects];
  return id ? (
    <OfProject projectId={id} items={items} onClose={onClose} />
  ) : (
    <PaletteView items={items} onClose={onClose} />
  );
}

function OfProject({ projectId, items, onClose }: PaletteViewProps & { projectId: string }) {
  const builds = buildItems(projectId, useBuilds(projectId).data ?? []);
  const contracts = contractItems(projectId, useContracts(projectId).data ?? []);
  return <PaletteView items={[...items, ...contracts, ...builds]} onClose={onClose} />;
}
