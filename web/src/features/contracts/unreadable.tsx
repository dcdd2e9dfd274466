import { IconFileText } from "@tabler/icons-react";
import { EmptyState } from "@/components/empty-state";

/** Where a text does not hold what a picture is made of. */
export function Unreadable({ what }: { what: string }) {
  return (
    <EmptyState icon={<IconFileText size={22} />} title={`No ${what} can be read here`}>
      Look at the text: it is all there.
    </EmptyState>
  );
}
