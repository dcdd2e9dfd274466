import { Alert } from "@mantine/core";
import { IconPencilExclamation } from "@tabler/icons-react";
import { InlineCode } from "@/components/inline-code";
import { plural } from "@/lib/format";

interface DraftNoticeProps {
  /** The number of gaps in each contract. */
  gaps: number[];
}

/** Shown until all gaps of the contracts are filled in or removed. */
export function DraftNotice({ gaps }: DraftNoticeProps) {
  const drafts = gaps.filter((count) => count > 0);
  const total = drafts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  const where = gaps.length > 1 ? ` in ${plural(drafts.length, "contract")}` : "";
  return (
    <Alert
      color="yellow"
      title="Draft: review before building"
      icon={<IconPencilExclamation size={18} aria-hidden />}
      mb="md"
    >
      <InlineCode
        text={`${plural(total, "gap")} left${where}. Fill in or remove each \`[TODO: …]\` before you start a build.`}
      />
    </Alert>
  );
}
