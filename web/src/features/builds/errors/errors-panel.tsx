import { Anchor, Box, Stack, Text } from "@mantine/core";
import { IconMoodCheck } from "@tabler/icons-react";
import { useState } from "react";
import { Link } from "react-router";
import { Disclosure } from "@/components/disclosure";
import { EmptyState } from "@/components/empty-state";
import { QueryView } from "@/components/query-view";
import type { BuildError } from "@/lib/api";
import { paths } from "@/lib/paths";
import { useErrors } from "./api";
import { ErrorCard } from "./error-card";
import classes from "./errors.module.css";
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
    <section className={classes.panel} aria-label="Errors of the build">
      <QueryView query={query} what="errors">
        {(errors) => {
          const open = errors.filter((error) => !error.resolved).sort(newestFirst);
          const resolved = errors.filter((error) => error.resolved).sort(newestFirst);
          const dismissed = resolved.find(({ id }) => id === newest?.id);
          return (
            <>
              {open.length === 0 && (
                <EmptyState order={3} icon={<IconMoodCheck size={22} />} title="No open errors">
                  {resolved.length > 0
                    ? "All errors have been resolved."
                    : "Errors appear here with their resolution."}
                </EmptyState>
              )}
              <Stack component="ul" gap={10} className="plain-list">
                {open.map((error) => (
                  <ErrorCard key={error.id} error={error} onDismissed={setNewest} />
                ))}
              </Stack>
              {dismissed && (
                <Text fz="sm" role="status" className={classes.dismissed}>
                  <Box component="span" mt={4} fz="sm" fw={550}>
                    Dismissed: {dismissed.message.split("\n")[0]}
                  </Box>
                  <ReopenButton error={dismissed} />
                </Text>
              )}
              {resolved.length > 0 && (
                <Disclosure className={classes.fold} summary={`Resolved (${resolved.length})`}>
                  <Stack component="ul" gap={10} className="plain-list">
                    {resolved.map((error) => (
                      <ErrorCard key={error.id} error={error} />
                    ))}
                  </Stack>
                </Disclosure>
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
    </section>
  );
}
