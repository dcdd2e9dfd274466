import { Button, Card, Text, ThemeIcon, Title } from "@mantine/core";
import { IconHammer } from "@tabler/icons-react";
import { Link } from "react-router";
import { paths } from "@/lib/paths";
import classes from "./first-build.module.css";
import { StartBuild } from "./start-build";

interface FirstBuildProps {
  projectId: string;
  demo: boolean;
  /** Whether the project has a contract of its own. */
  described: boolean;
  /** Whether contracts can be written from what is answered. */
  answered: boolean;
}

/** What a project without a build shows in place of its latest one. */
export function FirstBuild({ projectId, demo, described, answered }: FirstBuildProps) {
  if (!described) return <ContractsFirst projectId={projectId} answered={answered} />;
  return (
    <Card component="section" aria-labelledby="first-build" className={classes.card}>
      <ThemeIcon size={44} radius="lg" variant="light" aria-hidden>
        <IconHammer size={24} stroke={1.75} />
      </ThemeIcon>
      <div className={classes.text}>
        <Title order={2} id="first-build">
          {demo ? "The demo build is ready" : "Ready for its first build"}
        </Title>
        <Text fz="sm" c="dimmed" mt={4}>
          {demo
            ? "Watch a real build from start to seal: it plans, writes code, asks you one question, meets a failing test and fixes it. It runs offline and takes a minute or two."
            : "ForgeGuard works through the phases on a branch of its own. Your default branch is never touched."}
        </Text>
      </div>
      <StartBuild
        projectId={projectId}
        label={demo ? "Start the demo build" : "Start build"}
        size="md"
      />
    </Card>
  );
}

/** A build is held to contracts: without any there is nothing to build. */
function ContractsFirst({ projectId, answered }: Pick<FirstBuildProps, "projectId" | "answered">) {
  return (
    <Card component="section" aria-labelledby="first-build" className={classes.card}>
      <ThemeIcon size={44} radius="lg" variant="light" aria-hidden>
        <IconHammer size={24} stroke={1.75} />
      </ThemeIcon>
      <div className={classes.text}>
        <Title order={2} id="first-build">
          Write the contracts first
        </Title>
        <Text fz="sm" c="dimmed" mt={4}>
          Every build is held to nine contracts, and none is written yet. They follow from what you
          answer about the project.
        </Text>
      </div>
      <Button
        component={Link}
        to={paths.contracts(projectId)}
        variant={answered ? "filled" : "default"}
        size="md"
      >
        Go to the contracts
      </Button>
    </Card>
  );
}
