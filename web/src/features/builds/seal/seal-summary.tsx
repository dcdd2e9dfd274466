import { Anchor, Group, Text, VisuallyHidden } from "@mantine/core";
import { IconArrowRight } from "@tabler/icons-react";
import { Link } from "react-router";
import { VerdictBadge } from "@/components/verdict-badge";
import { useActions } from "@/domain/actions";
import { VERDICT } from "@/domain/verdict";
import type { Build } from "@/lib/api";
import { paths } from "@/lib/paths";
import { toneGround } from "@/lib/tone";
import { PullRequestLink } from "../delivery/pull-request-link";
import { downloadEvidence } from "./downloads";

/** The verdict, above all tabs of a sealed build. */
export function SealSummary({ build }: { build: Build }) {
  const { seal } = build;
  useActions([seal && { name: "bundle", run: () => void downloadEvidence(build.id) }]);
  if (!seal) return null;
  const { tone, meaning } = VERDICT[seal.verdict];
  return (
    <Group
      component="section"
      bg={toneGround(tone)}
      gap="sm"
      flex="none"
      px={{ base: "sm", sm: "md" }}
      py={{ base: 6, sm: "xs" }}
      style={{ borderBottom: "1px solid var(--line)" }}
      aria-labelledby="seal-title"
    >
      <VisuallyHidden component="h3" id="seal-title">
        Verdict
      </VisuallyHidden>
      <VerdictBadge verdict={seal.verdict} />
      {/* The seal tab shows this itself. */}
      <Text fz="sm" flex={1} miw={0} visibleFrom="sm">
        {seal.reason ?? meaning}
      </Text>
      <PullRequestLink build={build} />
      <Anchor
        component={Link}
        to={paths.build(build.project_id, build.number, "seal")}
        replace
        preventScrollReset
        fz="sm"
        fw={550}
        c="inherit"
        ml="auto"
        style={{ flex: "none" }}
      >
        <Group component="span" gap={4} mih={28}>
          Evidence and branch
          <IconArrowRight size={15} aria-hidden />
        </Group>
      </Anchor>
    </Group>
  );
}
