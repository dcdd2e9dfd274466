// Unsaved settings, kept until the tab is closed.
import type { ProjectSettings } from "@/lib/api";
import { createDraftStore } from "@/lib/draft-store";

export const createSettingsDraft = (project: string) =>
  createDraftStore<ProjectSettings>(`settings:${project}`, check, sessionStorage);

function check(value: unknown): ProjectSettings | null {
  const { gates, permissions } = (value ?? {}) as Partial<ProjectSettings>;
  return Array.isArray(gates) && Array.isArray(permissions) ? (value as ProjectSettings) : null;
}
