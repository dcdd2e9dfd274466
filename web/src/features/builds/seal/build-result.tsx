import { Anchor } from "@mantine/core";
import { Link } from "react-router";
import { Facts } from "@/components/facts";
import { WorkingTime } from "@/components/working-time";
import type { Build } from "@/lib/api";
import { formatUsd } from "@/lib/format";
import { paths } from "@/lib/paths";
import { useBuildRequirements } from "../requirements/api";

/** What a sealed build has achieved and used, in a few numbers. */
export function BuildResult({ build }: { build: Build }) {
  const items = useBuildRequirements(build.id).data?.items ?? [];
  const proven = items.filter(({ standing }) => standing === "holds").length;
  const requirements = paths.build(build.project_id, build.number, "requirements");
  return (
    <Facts
      size="lg"
      facts={[
        items.length > 0
          ? [
              "Requirements",
              <Anchor key="proven" component={Link} to={requirements} replace inherit>
                {proven} of {items.length}
              </Anchor>,
            ]
          : null,
        ["Phases", `${build.phases_done} of ${build.phase_count}`],
        ["Commits", build.commit_count],
        [
          "Working time",
          <WorkingTime key="time" ms={build.working_ms} fetchedAt={0} running={false} />,
        ],
        ["Cost", formatUsd(build.spent.usd_micros)],
      ]}
    />
  );
}
