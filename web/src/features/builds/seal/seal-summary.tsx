import { Anchor, Text, VisuallyHidden } from "@mantine/core";
import { IconArrowRight } from "@tabler/icons-react";
import { Link } from "react-router";
import { VerdictBadge } from "@/components/verdict-badge";
import { useActions } from "@/domain/actions";
import { VERDICT } from "@/domain/verdict";
import type { Build } from "@/lib/api";
import { paths } from "@/lib/paths";
import { downloadEvidence } from "./downloads";
import classes from "./seal-summary.module.css";

/** The verdict, above all tabs of a sealed build. */
export function SealSummary({ build }: { build: Build }) {
  const { seal } = build;
  useActions([seal && { name: "bundle", run: () => void downloadEvidence(build.id) }]);
  if (!seal) return null;
  const { tone, meaning } = VERDICT[seal.verdict];
  return (
    <section className={classes.card} data-tone={tone} aria-labelledby="seal-title">
      <VisuallyHidden component="h3" id="seal-title">
        Verdict
      </VisuallyHidden>
      <VerdictBadge verdict={seal.verdict} />
      <Text fz="sm" className={classes.meaning}>
        {seal.reason ?? meaning}
      </Text>
      <Anchor
        component={Link}
        to={paths.build(build.project_id, build.id, "seal")}
        replace
        preventScrollReset
        fz="sm"
        fw={550}
        c="inherit"
        className={classes.more}
      >
        Evidence and branch
        <IconArrowRight size={15} aria-hidden />
      </Anchor>
    </section>
  );
}
