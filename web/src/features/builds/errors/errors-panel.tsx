import { Anchor, Box, Group, Stack, Text, Title } from "@mantine/core";
import { IconMoodCheck } from "@tabler/icons-react";
import { useState } from "react";
import { Link } from "react-router";
import { Disclosure } from "@/components/disclosure";
import { EmptyState } from "@/components/empty-state";
import { LimitedList } from "@/components/limited-list";
import { QueryView } from "@/components/query-view";
import { ScrollPanel } from "@/components/scroll-panel";
import type { BuildError } from "@/lib/api";
import { paths } from "@/lib/paths";
import { useOpenItems } from "../open-items/api";
import { FindingRows } from "../open-items/finding-rows";
import { useErrors } from "./api";
import { ErrorCard } from "./error-card";
import { ReopenButton } from "./reopen-button";

const newestFirst = (a: BuildError, b: BuildError) => b.last_seen.localeCompare(a.last_seen);

interface ErrorsPanelProps {
  projectId: string;
  buildId: string;
}

export default function ErrorsPanel({ projectId, buildId }: ErrorsPanelProps) {
  const query = useErrors(buildId);
  /** The last error dismissed on this page. */
  const [newest, setNewest] = useState<BuildError | null>(null);
  return (
    <ScrollPanel label="Errors of the build">
      <QueryView query={query} what="errors">
        {(errors) => {
          const open = errors.filter((error) => !error.resolved).sort(newestFirst);
          const resolved = errors.filter((error) => error.resolved).sort(newestFirst);
          const dismissed = resolved.find(({ id }) => id === newest?.id);
          return (
            <>
              <Findings buildId={buildId} />
              {open.length === 0 && (
                <EmptyState order={3} icon={<IconMoodCheck size={22} />} title="No open errors">
                  {resolved.length > 0
                    ? "All errors have been resolved."
                    : "Errors appear here with their resolution."}
                </EmptyState>
              )}
              <LimitedList items={open}>
                {(shown) => (
                  <Stack component="ul" gap={10} className="plain-list">
                    {shown.map((error) => (
                      <ErrorCard key={error.id} error={error} onDismissed={setNewest} />
                    ))}
                  </Stack>
                )}
              </LimitedList>
              {dismissed && (
                <Group
                  role="status"
                  justify="space-between"
                  gap="xs"
                  px="sm"
                  py="xs"
                  bg="var(--surface-sunken)"
                  bdrs="md"
                >
                  <Text fz="sm" fw={550}>
                    Dismissed: {dismissed.message.split("\n")[0]}
                  </Text>
                  <ReopenButton error={dismissed} />
                </Group>
              )}
              {resolved.length > 0 && (
                <Box mt="md">
                  <Disclosure summary={`Resolved (${resolved.length})`}>
                    <LimitedList items={resolved}>
                      {(shown) => (
                        <Stack component="ul" gap={10} mt="xs" className="plain-list">
                          {shown.map((error) => (
                            <ErrorCard key={error.id} error={error} />
                          ))}
                        </Stack>
                      )}
                    </LimitedList>
                  </Disclosure>
                </Box>
              )}
              <Anchor
                component={Link}
                to={paths.errors(projectId)}
                fz="sm"
                display="inline-flex"
                mt={16}
              >
                Errors of all builds
              </Anchor>
            </>
          );
        }}
      </QueryView>
    </ScrollPanel>
  );
}

/** The auditor's open findings, if there are any. */
function Findings({ buildId }: { buildId: string }) {
  const findings = useOpenItems(buildId).data?.findings ?? [];
  if (findings.length === 0) return null;
  return (
    <Box mb="md">
      <Title order={3}>Findings of the auditor</Title>
      <ul className="plain-list lined">
        <FindingRows buildId={buildId} findings={findings} />
      </ul>
    </Box>
  );
}
