import { Button, CopyButton, Group } from "@mantine/core";
import { IconBug } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { isChunkError, messageOf } from "@/lib/api-error";
import { errorDetails } from "@/lib/error-details";
import { EmptyState } from "./empty-state";
import { ErrorBoundary, type RenderFailure } from "./error-boundary";

interface PanelBoundaryProps {
  /** What the panel shows, as in "Could not show the activity". */
  what: string;
  children: ReactNode;
}

/** A part of a page. If rendering it fails, the other parts stay. */
export function PanelBoundary({ what, children }: PanelBoundaryProps) {
  return (
    <ErrorBoundary fallback={(failure) => <PanelFailure what={what} failure={failure} />}>
      {children}
    </ErrorBoundary>
  );
}

function PanelFailure({ what, failure }: { what: string; failure: RenderFailure }) {
  const { error, componentStack, retry } = failure;
  const client = useQueryClient();
  // A module that failed to load is loaded again only with the page.
  const needsPage = isChunkError(error);
  return (
    <EmptyState
      order={3}
      icon={<IconBug size={22} />}
      title={`Could not show ${what}`}
      action={
        <Group gap="xs" justify="center">
          <Button
            variant="default"
            onClick={() => {
              if (needsPage) return location.reload();
              // The panel may have failed because of data that it loaded.
              client.removeQueries({ type: "inactive" });
              retry();
            }}
          >
            {needsPage ? "Reload page" : "Reload panel"}
          </Button>
          <CopyDetails error={error} componentStack={componentStack} />
        </Group>
      }
    >
      The rest of the page still works.{" "}
      {needsPage ? messageOf(error) : `Error: ${messageOf(error)}`}
    </EmptyState>
  );
}

interface CopyDetailsProps {
  error: unknown;
  componentStack?: string;
}

/** Copies what is needed to report the error. */
export function CopyDetails({ error, componentStack = "" }: CopyDetailsProps) {
  return (
    <CopyButton value={errorDetails(error, componentStack)} timeout={1_500}>
      {({ copied, copy }) => (
        <Button variant="subtle" color="gray" onClick={copy}>
          {copied ? "Copied" : "Copy details"}
        </Button>
      )}
    </CopyButton>
  );
}
