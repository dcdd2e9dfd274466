import { useNavigate } from "react-router";
import { useInboxNews } from "@/features/inbox/api";
import { BuildNotifications } from "@/features/notifications/build-notifications";
import { useProjects } from "@/features/projects/api";

/** Sends browser notifications about builds, on every page. */
export function Notifier() {
  const projects = useProjects().data?.items;
  const inbox = useInboxNews().data?.items;
  const navigate = useNavigate();
  return <BuildNotifications projects={projects} inbox={inbox} onOpen={navigate} />;
}
