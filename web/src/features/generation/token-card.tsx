import { Box, Card, Loader, Text, Title } from "@mantine/core";
import { lazy, Suspense } from "react";
import { Disclosure } from "@/components/disclosure";

const TokenChart = lazy(() => import("./token-chart"));

/** Token usage, collapsed by default. */
export function TokenCard({ projectId }: { projectId: string }) {
  return (
    <Card mt="md">
      <Disclosure
        summary={
          <span>
            <Title order={2} display="inline">
              Tokens
            </Title>{" "}
            <Text span fz="sm" c="dimmed">
              tokens sent during contract generation
            </Text>
          </span>
        }
      >
        <Box mt="md">
          <Suspense fallback={<Loader aria-label="Loading" />}>
            <TokenChart projectId={projectId} />
          </Suspense>
        </Box>
      </Disclosure>
    </Card>
  );
}
