import { Card, Loader, Text, Title } from "@mantine/core";
import { lazy, Suspense, useState } from "react";
import classes from "./generation.module.css";

const TokenChart = lazy(() => import("./token-chart"));

/** Token usage, collapsed by default. */
export function TokenCard({ projectId }: { projectId: string }) {
  const [opened, setOpened] = useState(false);
  return (
    <Card
      component="details"
      bg="var(--surface)"
      className={classes.tokens}
      onToggle={(event: React.SyntheticEvent<HTMLDetailsElement>) =>
        setOpened(event.currentTarget.open)
      }
    >
      <summary>
        <Title order={2}>Tokens</Title>{" "}
        <Text span fz="sm" c="dimmed">
          tokens sent during contract generation
        </Text>
      </summary>
      {opened && (
        <Suspense fallback={<Loader aria-label="Loading" />}>
          <TokenChart projectId={projectId} />
        </Suspense>
      )}
    </Card>
  );
}
