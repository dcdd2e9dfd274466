import { Button, Stack, Text } from "@mantine/core";
import { IconHammer } from "@tabler/icons-react";
import { Link } from "react-router";
import { OfferCard } from "@/components/offer-card";
import { useBuildReadiness } from "@/domain/build-readiness";
import type { StepName } from "@/domain/project-steps";
import { paths } from "@/lib/paths";
import { useBranches } from "./api";
import { ReadinessList } from "./readiness-list";
import { StartBuild } from "./start-build";

interface FirstBuildProps {
  projectId: string;
  demo: boolean;
  /** The project's current step, after it was described. */
  step: StepName;
}

/** The next step of a project without a build. */
export function FirstBuild({ projectId, demo, step }: FirstBuildProps) {
  if (step === "contracts") return <GenerateContracts projectId={projectId} />;
  return <Start projectId={projectId} demo={demo} />;
}

function GenerateContracts({ projectId }: { projectId: string }) {
  return (
    <OfferCard
      icon={<IconHammer size={24} stroke={1.75} />}
      title="Generate the contracts first"
      action={
        <Button component={Link} to={paths.contracts(projectId)} size="md">
          Go to contracts
        </Button>
      }
    >
      <Text fz="sm" c="dimmed">
        Builds implement nine contracts, which are generated from your answers in the questionnaire.
      </Text>
    </OfferCard>
  );
}

function Start({ projectId, demo }: { projectId: string; demo: boolean }) {
  const branches = useBranches(projectId).data?.items ?? [];
  // Code of the user's own, which the default branch does not contain.
  const pushed = demo
    ? undefined
    : branches.find(({ is_default, build_number }) => !is_default && !build_number);
  const choices = pushed && { baseline_branch: pushed.name };
  const ready = useBuildReadiness(projectId, true, choices).data;
  const isReady = ready?.obstacles.length === 0;
  return (
    <OfferCard
      icon={<IconHammer size={24} stroke={1.75} />}
      title={
        demo
          ? "Try the demo build"
          : ready && !isReady
            ? "Prepare the first build"
            : "Ready to build"
      }
      action={
        <StartBuild
          projectId={projectId}
          choices={choices}
          label={demo ? "Start demo build" : "Start build"}
          size="md"
        />
      }
    >
      <Stack gap="sm">
        <Text fz="sm" c="dimmed">
          {demo
            ? "Watch a build from start to seal: it plans, writes code, asks a question, and fixes a failing test. It runs offline and takes about 75 seconds, or less if you skip ahead."
            : pushed
              ? `ForgeGuard starts from your branch ${pushed.name} and works on a separate one. Your branches are not changed.`
              : "ForgeGuard works through the phases on a separate branch. Your default branch is not changed."}
        </Text>
        {ready && !demo && <ReadinessList projectId={projectId} ready={ready} />}
      </Stack>
    </OfferCard>
  );
}
