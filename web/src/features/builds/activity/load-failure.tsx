import { Button, Center, Text } from "@mantine/core";
import { toneText } from "@/lib/tone";

interface LoadFailureProps {
  children: string;
  onRetry: () => void;
}

/** Shown at the end of the list where a page failed to load. */
export function LoadFailure({ children, onRetry }: LoadFailureProps) {
  return (
    <Center py="sm" role="alert">
      <Text fz="xs" c={toneText("bad")} mr="xs">
        {children}
      </Text>
      <Button size="compact-xs" variant="default" onClick={onRetry}>
        Try again
      </Button>
    </Center>
  );
}
