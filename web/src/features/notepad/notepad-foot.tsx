import { Anchor, Group, Text } from "@mantine/core";
import { formatClock, formatCount } from "@/lib/format";
import { NOTEPAD_LIMIT, type NotepadState } from "./notepad-saver";

export function NotepadFoot({ state, onRetry }: { state: NotepadState; onRetry: () => void }) {
  return (
    <Group justify="space-between" gap="xs" mt={6}>
      <Text fz="xs" c="dimmed">
        {formatCount(state.text.length)} / {formatCount(NOTEPAD_LIMIT)}
      </Text>
      <Text
        fz="xs"
        c={state.status === "failed" ? "var(--mantine-color-error)" : "dimmed"}
        role="status"
      >
        {wordsOf(state)}
        {state.status === "failed" && (
          <>
            {" "}
            <Anchor component="button" type="button" fz="xs" underline="always" onClick={onRetry}>
              Try again
            </Anchor>
          </>
        )}
      </Text>
    </Group>
  );
}

function wordsOf({ status, saved }: NotepadState): string {
  if (status === "failed") return "Not saved.";
  if (status === "conflict") return "Two versions";
  if (status === "saving" || status === "waiting") return "Saving…";
  return saved.updated_at ? `Saved ${formatClock(saved.updated_at)}` : "Saves by itself";
}
