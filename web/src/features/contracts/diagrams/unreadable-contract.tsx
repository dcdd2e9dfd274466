import { IconFileText } from "@tabler/icons-react";
import { EmptyState } from "@/components/empty-state";

/** Shown if the text cannot be displayed as a diagram. */
export function UnreadableContract({ what }: { what: string }) {
  return (
    <EmptyState
      icon={<IconFileText size={22} />}
      title={`Could not read ${what} from this contract`}
    >
      Switch to the text view to see its content.
    </EmptyState>
  );
}
