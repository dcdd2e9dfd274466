import { Button, Text } from "@mantine/core";
import { IconHammer } from "@tabler/icons-react";
import { Link } from "react-router";
import { OfferCard } from "@/components/offer-card";
import { paths } from "@/lib/paths";
import { StartBuild } from "./start-build";

interface FirstBuildProps {
  projectId: string;
  demo: boolean;
  /** Whether the project has contracts of its own. */
  described: boolean;
  /** Whether the questionnaire is complete enough to generate contracts. */
  answered: boolean;
}

/** Shown instead of the latest build if there is none. */
export function FirstBuild({ projectId, demo, described, answered }: FirstBuildProps) {
  const icon = <IconHammer size={24} stroke={1.75} />;
  if (!described) {
    // A build without contracts has nothing to implement.
    return (
      <OfferCard
        icon={icon}
        title="Generate the contracts first"
        action={
          <Button
            component={Link}
            to={paths.contracts(projectId)}
            variant={answered ? "filled" : "default"}
            size="md"
          >
            Go to contracts
          </Button>
        }
      >
        <Text fz="sm" c="dimmed">
          Builds implement nine contracts, which are generated from your answers in the
          questionnaire.
        </Text>
      </OfferCard>
    );
  }
  return (
    <OfferCard
      icon={icon}
      title={demo ? "Try the demo build" : "Ready to build"}
      action={
        <StartBuild
          projectId={projectId}
          label={demo ? "Start demo build" : "Start build"}
          size="md"
        />
      }
    >
      <Text fz="sm" c="dimmed">
        {demo
          ? "Watch a build from start to seal: it plans, writes code, asks a question, and fixes a failing test. It runs offline and takes a minute or two."
          : "ForgeGuard works through the phases on a separate branch. Your default branch is not changed."}
      </Text>
    </OfferCard>
  );
}
