import { Stack, Text } from "@mantine/core";
import { QueryView } from "@/components/query-view";
import { stateOf } from "@/components/requirements/requirement-labels";
import { RequirementText } from "@/components/requirements/requirement-text";
import { plural } from "@/lib/format";
import { useReviewRequirements } from "./api";

/** The requirements of the build, and which of them are proven. */
export function ReviewRequirements({ buildId }: { buildId: string }) {
  return (
    <QueryView query={useReviewRequirements(buildId)} what="requirements">
      {({ items }) =>
        items.length === 0 ? (
          <Text fz="sm" c="dimmed">
            The blueprint of this build gives its requirements no ids, so they are not traced to
            proofs.
          </Text>
        ) : (
          <Stack gap="md">
            <Text fz="sm">
              {items.filter(({ standing }) => standing === "holds").length} of{" "}
              {plural(items.length, "requirement")} proven
            </Text>
            {items.map((row) => (
              <RequirementText key={row.id} requirement={row} state={stateOf(row.standing)} />
            ))}
          </Stack>
        )
      }
    </QueryView>
  );
}
