import { Button, Center } from "@mantine/core";

interface ShowMoreProps {
  query: {
    hasNextPage: boolean;
    isFetchingNextPage: boolean;
    fetchNextPage: () => unknown;
  };
}

/** Below a list that comes page by page. */
export function ShowMore({ query }: ShowMoreProps) {
  if (!query.hasNextPage) return null;
  return (
    <Center mt="md">
      <Button
        variant="default"
        loading={query.isFetchingNextPage}
        onClick={() => query.fetchNextPage()}
      >
        Show more
      </Button>
    </Center>
  );
}
