import { Anchor, Group } from "@mantine/core";
import { IconHandStop } from "@tabler/icons-react";
import { Link } from "react-router";
import { OwnerOnly } from "@/components/owner-only";
import { useIsAdmin } from "@/domain/session";
import type { Build } from "@/lib/api";
import { paths } from "@/lib/paths";
import { toneBar } from "@/lib/tone";

/** Why the build is blocked, and what helps. */
export function BlockedBanner({ build }: { build: Build }) {
  if (build.status !== "blocked") return null;
  const explanation = build.block_explanation;
  return (
    <Group
      {...toneBar("bad")}
      gap="xs"
      wrap="nowrap"
      align="flex-start"
      px={{ base: "sm", sm: "md" }}
      py={10}
      fz="sm"
      role="status"
    >
      <IconHandStop size={16} aria-hidden style={{ flex: "none", marginTop: 2 }} />
      <span style={{ minWidth: 0, overflowWrap: "anywhere" }}>
        <b>Blocked.</b> {explanation?.why ?? build.blocked_text}{" "}
        <OwnerOnly instead="The owner can resume or cancel it.">
          {explanation?.remedy ??
            "Resume it, with a larger budget if it reached a limit, or cancel it."}
          {build.blocked_reason === "config" && <SettingsLink projectId={build.project_id} />}
        </OwnerOnly>
      </span>
    </Group>
  );
}

function SettingsLink({ projectId }: { projectId: string }) {
  const isAdmin = useIsAdmin();
  return (
    <>
      {" "}
      <Anchor
        component={Link}
        to={paths.projectSettings(projectId)}
        inherit
        c="inherit"
        underline="always"
      >
        Project settings
      </Anchor>
      {isAdmin ? (
        <>
          {" · "}
          <Anchor
            component={Link}
            to={paths.installationSettings}
            inherit
            c="inherit"
            underline="always"
          >
            Models and keys
          </Anchor>
        </>
      ) : (
        ". An administrator changes models and keys."
      )}
    </>
  );
}
