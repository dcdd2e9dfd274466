import { Button, Text } from "@mantine/core";

interface LateHintProps {
  /** What was chosen when it was too late. */
  tried: string | null;
  onSend: (answer: string) => void;
}

/** What can still be done about a question in whose time nobody answered. */
export function LateHint({ tried, onSend }: LateHintProps) {
  return (
    <>
      <Text fz="sm" mt={4}>
        What you write below goes to the agents as a hint about this.
      </Text>
      {tried !== null && (
        <Button size="xs" variant="default" mt="xs" onClick={() => onSend(tried)}>
          Send “{tried}” as a hint
        </Button>
      )}
    </>
  );
}
