import { useEffect, useRef } from "react";
import { Link, useLocation } from "react-router";
import type { Project } from "@/lib/api";
import { paths } from "@/lib/paths";
import classes from "./project-layout.module.css";

interface Tab {
  to: string;
  label: string;
  /** Whether pages below `to` belong to other tabs. */
  end?: boolean;
  /** Another page that belongs to the tab. */
  also?: string;
}

/** Links to the pages of a project. The current one is in view also if there is no room for all. */
export function ProjectTabs({ project }: { project: Project }) {
  const { id, origin, role } = project;
  const list = useRef<HTMLElement>(null);
  const { pathname } = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: once on each page
  useEffect(() => {
    const current = list.current?.querySelector<HTMLElement>("[aria-current=page]");
    if (list.current && current) {
      list.current.scrollLeft = current.offsetLeft - list.current.offsetLeft;
    }
  }, [pathname]);
  const tabs: (Tab | false)[] = [
    { to: paths.project(id), label: "Overview", end: true },
    { to: paths.backlog(id), label: "Backlog" },
    { to: paths.builds(id), label: "Builds", also: paths.comparison(id) },
    { to: paths.contracts(id), label: "Contracts" },
    origin !== "demo" && { to: paths.questionnaire(id), label: "Questionnaire" },
    { to: paths.requirements(id), label: "Requirements" },
    { to: paths.errors(id), label: "Errors" },
    role === "owner" && { to: paths.projectSettings(id), label: "Settings" },
  ];
  return (
    <nav ref={list} aria-label="Project" className={classes.tabs}>
      {tabs.map(
        (tab) =>
          tab && (
            <Link
              key={tab.label}
              to={tab.to}
              aria-current={isCurrent(tab, pathname) ? "page" : undefined}
              className={classes.tab}
            >
              {tab.label}
            </Link>
          ),
      )}
    </nav>
  );
}

const isCurrent = ({ to, end, also }: Tab, pathname: string) =>
  pathname === to || pathname === also || (!end && pathname.startsWith(`${to}/`));
