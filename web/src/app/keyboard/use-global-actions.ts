import { useMantineColorScheme } from "@mantine/core";
import { useMatch, useNavigate } from "react-router";
import { useActions } from "@/domain/actions";
import { useSession, useSignOut } from "@/features/accounts/api";
import { useProjectNamed } from "@/features/projects/api";
import { paths } from "@/lib/paths";
import { useComputedScheme } from "../use-computed-scheme";

/** Actions that are available on every page, and on every page of a project. */
export function useGlobalActions() {
  const navigate = useNavigate();
  const { setColorScheme } = useMantineColorScheme();
  const dark = useComputedScheme() === "dark";
  const signOut = useSignOut();
  const isAdmin = useSession().data?.role === "admin";
  const ref = useMatch("/projects/:project/*")?.params.project;
  const project = useProjectNamed(ref);
  const id = project?.id;
  const latest = project?.last_build;
  useActions([
    { name: "goProjects", run: () => navigate(paths.home) },
    { name: "goAccount", run: () => navigate(paths.account) },
    { name: "goAllBuilds", run: () => navigate(paths.allBuilds) },
    { name: "goAllBacklogs", run: () => navigate(paths.allBacklogs) },
    { name: "goInbox", run: () => navigate(paths.inbox) },
    { name: "goOpenQuestions", run: () => navigate(paths.questions) },
    isAdmin && { name: "goPeople", run: () => navigate(paths.users) },
    isAdmin && { name: "goReviews", run: () => navigate(paths.reviews) },
    isAdmin && { name: "goAuditLog", run: () => navigate(paths.auditLog) },
    isAdmin && {
      name: "goInstallationSettings",
      run: () => navigate(paths.installationSettings),
    },
    { name: "switchScheme", run: () => setColorScheme(dark ? "light" : "dark") },
    { name: "signOut", run: () => signOut.mutate() },
    id !== undefined && { name: "goOverview", run: () => navigate(paths.project(id)) },
    id !== undefined && { name: "goBuilds", run: () => navigate(paths.builds(id)) },
    id !== undefined && { name: "goBacklog", run: () => navigate(paths.backlog(id)) },
    id !== undefined && { name: "goContracts", run: () => navigate(paths.contracts(id)) },
    project !== undefined &&
      project.origin !== "demo" && {
        name: "goQuestions",
        run: () => navigate(paths.questionnaire(project.id)),
      },
    id !== undefined && { name: "goRequirements", run: () => navigate(paths.requirements(id)) },
    id !== undefined && { name: "goErrors", run: () => navigate(paths.errors(id)) },
    id !== undefined && { name: "goSettings", run: () => navigate(paths.projectSettings(id)) },
    project !== undefined &&
      latest != null && {
        name: "goBuild",
        run: () => navigate(paths.build(project.id, latest.number)),
      },
  ]);
}
