import { Button, Center, Loader } from "@mantine/core";
import { IconPlugConnectedX } from "@tabler/icons-react";
import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { messageOf } from "@/lib/api-error";
import { EmptyState } from "./empty-state";

interface QueryViewProps<T> {
  query: UseQueryResult<T>;
  what: string;
  loading?: ReactNode;
  children: (data: T) => ReactNode;
}

/** Renders the data, a loader, or an error with a retry button. */
export function QueryView<T>({ query, what, loading, children }: QueryViewProps<T>) {
  if (query.data !== undefined) return children(query.data);
  if (query.isError) {
    return (
      <EmptyState
        icon={<IconPlugConnectedX size={22} />}
        title={`Could not load ${what}`}
        action={
          <Button variant="default" onClick={() => query.refetch()} loading={query.isFetching}>
            Try again
          </Button>
        }
      >
        {messageOf(query.error)}
      </EmptyState>
    );
  }
  return (
    loading ?? (
      <Center py="xl">
        <Loader aria-label={`Loading ${what}`} />
      </Center>
    )
  );
}
