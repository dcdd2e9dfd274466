import { Box, Stack } from "@mantine/core";
import { Virtuoso } from "react-virtuoso";
import type { ProjectError } from "@/lib/api";
import { ProjectErrorCard } from "./project-error-card";

/** Longer lists are virtualized. */
const MANY = 200;

interface ErrorRowsProps {
  projectId: string;
  errors: ProjectError[];
}

export function ErrorRows({ projectId, errors }: ErrorRowsProps) {
  if (errors.length <= MANY) {
    return (
      <Stack component="ul" gap={10} className="plain-list" aria-label="Errors of all builds">
        {errors.map((error) => (
          <li key={error.fingerprint}>
            <ProjectErrorCard projectId={projectId} error={error} />
          </li>
        ))}
      </Stack>
    );
  }
  return (
    <section aria-label="Errors of all builds">
      <Virtuoso
        useWindowScroll
        data={errors}
        computeItemKey={(_, { fingerprint }) => fingerprint}
        itemContent={(_, error) => (
          <Box pb={10}>
            <ProjectErrorCard projectId={projectId} error={error} />
          </Box>
        )}
      />
    </section>
  );
}
