import { Text } from "@mantine/core";
import { buildTitle } from "@/domain/build-name";
import type { BuildSummary } from "@/lib/api";

/** The number and title of a build, in the size and weight of the text around them. */
export function NumberAndTitle({ build }: { build: Pick<BuildSummary, "number" | "title"> }) {
  return (
    <>
      <Text span inherit c="dimmed" className="tabular">
        #{build.number}
      </Text>{" "}
      <Text span inherit c={build.title ? undefined : "dimmed"}>
        {buildTitle(build)}
      </Text>
    </>
  );
}
