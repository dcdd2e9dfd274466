import { Button, Text } from "@mantine/core";

interface LateHintProps {
  /** The answer that was chosen after the question expired. */
  tried: string | null;
  onSend: (answer: string) => void;
}

/** Offers to send an answer as a hint after the question expired. */
export function LateHint({ tried, onSend }: LateHintProps) {
  return (
    <>
      <Text fz="sm" mt={4}>
        Messages you send below reach the agents as a hint.
      </Text>
      {tried !== null && (
        <Button size="xs" variant="default" mt="xs" onClick={() => onSend(tried)}>
          Send “{tried}” as a hint
        </Button>
      )}
    </>
  );
}
