import { IconChevronRight } from "@tabler/icons-react";
import { Link, useMatch } from "react-router";
import { buildName } from "@/domain/build-name";
import { useBuild, useBuildId } from "@/features/builds/api";
import type { Project } from "@/lib/api";
import { paths } from "@/lib/paths";
import { useFillsScreen } from "../use-fills-screen";
import classes from "./project-layout.module.css";
import { ProjectSwitcher } from "./project-switcher";

const PAGES: Record<string, string> = {
  builds: "Builds",
  contracts: "Contracts",
  questionnaire: "Questionnaire",
  requirements: "Requirements",
  errors: "Errors",
  settings: "Settings",
};

/** Where the user is: projects, project, page and build. */
export function Breadcrumb({ project }: { project: Project }) {
  const page = useMatch("/projects/:project/:page/*")?.params.page ?? "";
  const build = useMatch("/projects/:project/builds/:build")?.params.build;
  const isComparison = page === "compare";
  const fillsScreen = useFillsScreen();
  const label = PAGES[isComparison ? "builds" : page];
  const isLast = build === undefined && !isComparison;
  return (
    <nav aria-label="Breadcrumb" className={classes.breadcrumb} data-bar={fillsScreen || undefined}>
      <ol className="plain-list">
        <li data-fixed>
          <Link to={paths.home} className={classes.crumb}>
            Projects
          </Link>
        </li>
        <li>
          <Separator />
          <Link
            to={paths.project(project.id)}
            className={classes.crumb}
            aria-current={label ? undefined : "page"}
          >
            {project.name}
          </Link>
          <ProjectSwitcher project={project} />
        </li>
        {label && (
          <li data-fixed data-middle={isLast ? undefined : true}>
            <Separator />
            {isLast ? (
              <span className={classes.crumb} aria-current="page">
                {label}
              </span>
            ) : (
              <Link to={paths.builds(project.id)} className={classes.crumb}>
                {label}
              </Link>
            )}
          </li>
        )}
        {build !== undefined && (
          <li>
            <Separator />
            <BuildCrumb project={project.id} build={build} />
          </li>
        )}
        {isComparison && (
          <li data-fixed>
            <Separator />
            <span className={classes.crumb} aria-current="page">
              Compare
            </span>
          </li>
        )}
      </ol>
    </nav>
  );
}

function Separator() {
  return <IconChevronRight size={14} color="var(--mantine-color-dimmed)" aria-hidden />;
}

function BuildCrumb({ project, build }: { project: string; build: string }) {
  const id = useBuildId(project, build).data;
  return (
    <span className={classes.crumb} aria-current="page">
      {id ? <NamedBuild id={id} /> : "Build"}
    </span>
  );
}

function NamedBuild({ id }: { id: string }) {
  const build = useBuild(id).data;
  return build ? buildName(build) : "Build";
}
