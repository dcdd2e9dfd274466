import { Button, Center, Text } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { formatCount } from "@/lib/format";

const DEFAULT_PAGE_SIZE = 25;

interface LimitedListProps<T> {
  items: T[];
  /** Items shown at first, and added by "Show more". */
  pageSize?: number;
  children: (shown: T[]) => ReactNode;
}

/** Shows a part of a list that is loaded, with a button for more and a count. */
export function LimitedList<T>({ items, pageSize, children }: LimitedListProps<T>) {
  const size = pageSize ?? DEFAULT_PAGE_SIZE;
  const [limit, setLimit] = useState(size);
  return (
    <>
      {children(items.slice(0, limit))}
      {items.length > limit && (
        <Center mt="lg">
          <Button variant="default" onClick={() => setLimit(limit + size)}>
            Show more
          </Button>
          <Text fz="xs" c="dimmed" ml="sm">
            {formatCount(limit)} of {formatCount(items.length)}
          </Text>
        </Center>
      )}
    </>
  );
}
