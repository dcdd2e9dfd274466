import { useMemo } from "react";
import { useNavigate } from "react-router";
import { useWatchedBuilds } from "@/features/builds/all-builds/api";
import { useInboxNews } from "@/features/inbox/api";
import { BuildNotifications } from "@/features/notifications/build-notifications";
import { useNotificationState } from "@/features/notifications/permission";
import { useProjects } from "@/features/projects/api";

/** Sends browser notifications about builds, on every page. */
export function Notifier() {
  const isOn = useNotificationState(({ standing }) => standing === "on");
  const listed = useWatchedBuilds(isOn).data?.items;
  const projects = useProjects().data?.items;
  const inbox = useInboxNews().data?.items;
  const navigate = useNavigate();
  const builds = useMemo(() => {
    const viewed = new Set(projects?.filter(({ role }) => role === "viewer").map(({ id }) => id));
    return listed?.map((build) => ({ ...build, isOwn: !viewed.has(build.project_id) }));
  }, [listed, projects]);
  return <BuildNotifications builds={builds} inbox={inbox} onOpen={navigate} />;
}
