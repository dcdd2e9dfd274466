import { Alert } from "@mantine/core";
import { IconArchive } from "@tabler/icons-react";
import { useEffect } from "react";
import { Outlet, useLocation, useNavigate, useParams } from "react-router";
import { QueryView } from "@/components/query-view";
import { ProjectRole } from "@/domain/project-access";
import { useProject, useProjectId } from "@/features/projects/api";
import type { Project } from "@/lib/api";
import { isStatus } from "@/lib/api-error";
import { paths } from "@/lib/paths";
import NotFoundPage from "../routes/not-found";
import { useFillsScreen } from "../use-fills-screen";
import { Breadcrumb } from "./breadcrumb";
import { ProjectTabs } from "./project-tabs";

/** All pages of a project: where the user is, the project's tabs, and the page. */
export function ProjectLayout() {
  const { project: ref = "" } = useParams();
  const id = useProjectId(ref);
  if (isStatus(id.error, 404)) return <NotFoundPage what="This project" />;
  return (
    <QueryView query={id} what="project">
      {(id) => <LoadedProject key={id} id={id} />}
    </QueryView>
  );
}

function LoadedProject({ id }: { id: string }) {
  const project = useProject(id);
  if (isStatus(project.error, 404)) return <NotFoundPage what="This project" />;
  return (
    <QueryView query={project} what="project">
      {(project) => <Layout project={project} />}
    </QueryView>
  );
}

function Layout({ project }: { project: Project }) {
  const fillsScreen = useFillsScreen();
  useCanonicalAddress(project);
  return (
    <ProjectRole value={project}>
      <Breadcrumb project={project} />
      {!fillsScreen && <ProjectTabs project={project} />}
      {!fillsScreen && project.archived_at && (
        <Alert color="gray" icon={<IconArchive size={18} aria-hidden />} mb="lg" p="sm">
          This project is archived and read-only.
          {project.role === "owner" && " Unarchive it in its settings to change it."}
        </Alert>
      )}
      <Outlet context={project} />
    </ProjectRole>
  );
}

/** Addresses with the project's id or an earlier slug are replaced by that with its slug. */
function useCanonicalAddress({ id, slug }: Project) {
  const { project: ref = "" } = useParams();
  const { pathname, search, hash, state } = useLocation();
  const navigate = useNavigate();
  useEffect(() => {
    if (ref === slug) return;
    const rest = pathname.split("/").slice(3);
    const to = [paths.project(id), ...rest].join("/");
    void navigate(`${to}${search}${hash}`, { replace: true, state, preventScrollReset: true });
  }, [ref, slug, id, pathname, search, hash, state, navigate]);
}
