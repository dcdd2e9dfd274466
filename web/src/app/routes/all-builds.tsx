import { usePageTitle } from "@/domain/use-page-title";
import { AllBuildsPage } from "@/features/builds/all-builds/all-builds-page";
import { useProjects } from "@/features/projects/api";

export default function AllBuilds() {
  usePageTitle("Builds");
  return <AllBuildsPage projects={useProjects().data?.items ?? []} />;
}
