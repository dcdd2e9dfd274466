import { useNavigate } from "react-router";
import { BuildNotifications } from "@/features/notifications/build-notifications";
import { useProjects } from "@/features/projects/api";

/** Listens on every page for what someone elsewhere wants to hear of. */
export function Notifier() {
  const projects = useProjects().data?.items;
  const navigate = useNavigate();
  return <BuildNotifications projects={projects} onOpen={navigate} />;
}
