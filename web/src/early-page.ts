// Starts to load the page at the current address: its code, and the data that it shows first. The addresses of
// the data are those that the page asks for; a browser test checks that nothing is asked for twice.
import { pageAt } from "./app/pages";
import { requestEarly } from "./lib/early-requests";

export function loadEarly(pathname: string) {
  requestEarly("/api/session");
  const [, area, project, page = "", build, files] = pathname.split("/");
  if (pathname === "/") requestEarly("/api/projects?limit=200&archived=false");
  const root = area === "projects" && project ? `/api/projects/${project}` : undefined;
  if (root) {
    requestEarly(root);
    if (page === "builds" && build) void requestBuild(`${root}/builds/${build}`, !files);
    else if (page === "" || page === "builds") requestEarly(`${root}/builds?limit=200`);
  }
  // Browsers send few requests at a time. The router reports failures.
  void pageAt(pathname)?.().catch(() => {});
  if (root && (page === "" || page === "contracts")) requestEarly(`${root}/contracts`);
  if (root && (page === "" || page === "questionnaire")) requestEarly(`${root}/questionnaire`);
  if (root && page === "") requestEarly(`${root}/remote`);
}

async function requestBuild(path: string, withEvents: boolean) {
  const response = await requestEarly(path).catch(() => null);
  if (!response?.ok || !withEvents) return;
  const { id } = (await response.clone().json()) as { id: string };
  requestEarly(`/api/builds/${id}/events?tail=true&limit=200`);
}
