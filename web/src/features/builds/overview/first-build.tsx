import { Box, Button, Card, Text, ThemeIcon, Title } from "@mantine/core";
import { IconHammer } from "@tabler/icons-react";
import { Link } from "react-router";
import { paths } from "@/lib/paths";
import classes from "./first-build.module.css";
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
  if (!described) return <ContractsFirst projectId={projectId} answered={answered} />;
  return (
    <Card component="section" aria-labelledby="first-build" className={classes.card}>
      <ThemeIcon size={44} radius="lg" variant="light" aria-hidden>
        <IconHammer size={24} stroke={1.75} />
      </ThemeIcon>
      <Box flex="1 1 18rem">
        <Title order={2} id="first-build">
          {demo ? "Try the demo build" : "Ready to build"}
        </Title>
        <Text fz="sm" c="dimmed" mt={4}>
          {demo
            ? "Watch a build from start to seal: it plans, writes code, asks a question, and fixes a failing test. It runs offline and takes a minute or two."
            : "ForgeGuard works through the phases on a separate branch. Your default branch is not changed."}
        </Text>
      </Box>
      <StartBuild
        projectId={projectId}
        label={demo ? "Start demo build" : "Start build"}
        size="md"
      />
    </Card>
  );
}

/** A build without contracts has nothing to implement. */
function ContractsFirst({ projectId, answered }: Pick<FirstBuildProps, "projectId" | "answered">) {
  return (
    <Card component="section" aria-labelledby="first-build" className={classes.card}>
      <ThemeIcon size={44} radius="lg" variant="light" aria-hidden>
        <IconHammer size={24} stroke={1.75} />
      </ThemeIcon>
      <Box flex="1 1 18rem">
        <Title order={2} id="first-build">
          Generate the contracts first
        </Title>
        <Text fz="sm" c="dimmed" mt={4}>
          Builds implement nine contracts, which are generated from your answers in the
          questionnaire.
        </Text>
      </Box>
      <Button
        component={Link}
        to={paths.contracts(projectId)}
        variant={answered ? "filled" : "default"}
        size="md"
      >
        Go to contracts
      </Button>
    </Card>
  );
}
