import { Card, Loader, Text, Title } from "@mantine/core";
import { lazy, Suspense, useState } from "react";
import classes from "./generation.module.css";

const TokenChart = lazy(() => import("./token-chart"));

/** What the writing took, folded until somebody asks. */
export function TokenCard({ projectId }: { projectId: string }) {
  const [opened, setOpened] = useState(false);
  return (
    <Card
      component="details"
      bg="var(--surface)"
      className={classes.tokens}
      onToggle={(event: React.SyntheticEvent<HTMLElement>) =>
        setOpened((event.currentTarget as HTMLDetailsElement).open)
      }
    >
      <summary>
        <Title order={2}>Tokens</Title>{" "}
        <Text span fz="sm" c="dimmed">
          what writing the contracts sent to a model
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
