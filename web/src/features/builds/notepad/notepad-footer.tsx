import { Anchor, Group, Text } from "@mantine/core";
import type { Notepad } from "@/lib/api";
import type { DraftState } from "@/lib/draft-saver";
import { formatClock, formatCount } from "@/lib/format";

export const NOTEPAD_LIMIT = 20_000;

type NotepadState = DraftState<string, Notepad>;

export function NotepadFooter({ state, onRetry }: { state: NotepadState; onRetry: () => void }) {
  return (
    <Group justify="space-between" gap="xs" mt={6}>
      <Text fz="xs" c="dimmed">
        {formatCount(state.draft.length)} / {formatCount(NOTEPAD_LIMIT)}
      </Text>
      <Text
        fz="xs"
        c={state.status === "failed" ? "var(--mantine-color-error)" : "dimmed"}
        role="status"
      >
        {statusLabel(state)}
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

function statusLabel({ status, saved }: NotepadState): string {
  if (status === "failed") return "Not saved.";
  if (status === "conflict") return "Conflict";
  if (status === "saving" || status === "unsaved") return "Saving…";
  return saved.updated_at ? `Saved ${formatClock(saved.updated_at)}` : "Saved automatically";
}
