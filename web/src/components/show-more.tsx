import { Button, Center, Text } from "@mantine/core";
import { formatCount } from "@/lib/format";

interface ShowMoreProps {
  query: {
    hasNextPage: boolean;
    isFetchingNextPage: boolean;
    fetchNextPage: () => unknown;
  };
  /** How many items are shown. */
  shown?: number;
  /** How many there are, if that is known. */
  total?: number;
}

/** Loads the next page of a list. */
export function ShowMore({ query, shown, total }: ShowMoreProps) {
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
      {shown !== undefined && (
        <Text fz="xs" c="dimmed" ml="sm">
          {total === undefined
            ? `${formatCount(shown)} shown`
            : `${formatCount(shown)} of ${formatCount(total)}`}
        </Text>
      )}
    </Center>
  );
}
