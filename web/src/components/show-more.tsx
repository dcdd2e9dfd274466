import { Button, Center } from "@mantine/core";

interface ShowMoreProps {
  query: {
    hasNextPage: boolean;
    isFetchingNextPage: boolean;
    fetchNextPage: () => unknown;
  };
}

/** Loads the next page of a list. */
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
