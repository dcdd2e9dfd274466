import { Flex, Stack } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { type ReactNode, useRef } from "react";
import { OwnerOnly } from "@/components/owner-only";
import { STATUS } from "@/domain/build-status";
import type { Feed } from "@/domain/feed/feed-store";
import { usePageTitle } from "@/domain/use-page-title";
import type { Build } from "@/lib/api";
import { Composer } from "../composer/composer";
import { SealSummary } from "../seal/seal-summary";
import { BuildSidebar } from "../sidebar/build-sidebar";
import { BlockedBanner } from "./blocked-banner";
import { BuildAnnouncer } from "./build-announcer";
import { BuildHeader } from "./build-header";
import classes from "./build-screen.module.css";
import { BuildTabs } from "./build-tabs";
import { ReconnectBar } from "./reconnect-bar";
import { ViewerFooter } from "./viewer-footer";

interface BuildScreenProps {
  build: Build;
  /** When `build` was fetched, in milliseconds. */
  fetchedAt: number;
  feed: Feed;
  /** Shown below the verdict of a sealed build. */
  reviews: ReactNode;
  /** Shown below an open question. */
  notificationOffer: ReactNode;
  onClose: () => void;
}

export function BuildScreen({
  build,
  fetchedAt,
  feed,
  reviews,
  notificationOffer,
  onClose,
}: BuildScreenProps) {
  const wide = useMediaQuery("(min-width: 62em)", true, { getInitialValueInEffect: false });
  const input = useRef<HTMLInputElement>(null);
  usePageTitle(
    build.open_question && "(1) Question",
    build.seal && STATUS.sealed.label,
    build.project_name,
  );
  return (
    <Stack component="section" gap={0} h="100%" mih={0}>
      <BuildHeader build={build} fetchedAt={fetchedAt} onClose={onClose} />
      <ReconnectBar feed={feed} />
      <BuildAnnouncer build={build} />
      <SealSummary build={build} />
      {build.seal && reviews}
      <BlockedBanner build={build} />
      <Flex flex={1} mih={0}>
        <Stack gap={0} flex={1} miw={0}>
          <BuildTabs build={build} fetchedAt={fetchedAt} feed={feed} wide={wide} />
          <OwnerOnly instead={<ViewerFooter build={build} />}>
            <Composer build={build} inputRef={input} notificationOffer={notificationOffer} />
          </OwnerOnly>
        </Stack>
        {wide && (
          <aside className={`scroll ${classes.side}`} aria-label="Build details">
            <BuildSidebar build={build} />
          </aside>
        )}
      </Flex>
    </Stack>
  );
}
