import { Box, Text, Title } from "@mantine/core";
import { lazy } from "react";
import type { Build } from "@/lib/api";
import { shortSha } from "@/lib/format";
import { useRunInstructions } from "./api";

const Markdown = lazy(() => import("@/components/markdown"));

/** How to run what was built, from its README. */
export function RunInstructions({ build }: { build: Build }) {
  const found = useRunInstructions(build.id).data;
  if (!found) return null;
  return (
    <section aria-labelledby="seal-run">
      <Title order={3} id="seal-run">
        How to run it
      </Title>
      {found.text === null ? (
        <Text fz="sm" c="dimmed" mt={6}>
          {found.path
            ? `${found.path} does not say how to run the project.`
            : "The branch has no README."}
        </Text>
      ) : (
        <>
          <Text fz="xs" c="dimmed" mt={4} mb="xs">
            From {found.path} at <code>{shortSha(build.seal?.evidence.head_sha ?? "")}</code>
          </Text>
          <Box px="md" py="sm" bd="1px solid var(--line)" bdrs="md">
            <Markdown text={found.text} size="sm" plainHeadings />
          </Box>
        </>
      )}
    </section>
  );
}
