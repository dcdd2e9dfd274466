import { Card, Group, Tabs, Text } from "@mantine/core";
import { lazy, Suspense, useMemo } from "react";
import { useNavigate, useSearchParams } from "react-router";
import { TimeAgo } from "@/components/time-ago";
import { ToneBadge } from "@/components/tone-badge";
import type { Contract } from "@/lib/api";
import { paths } from "@/lib/paths";
import { useOrigins } from "./api";
import { ContractPicture } from "./contract-picture";
import { ContractText } from "./contract-text";
import { viewAsked, viewsOf } from "./contract-views";
import classes from "./contracts.module.css";
import { editionWords } from "./edition-words";
import { History } from "./history";
import { Waiting } from "./waiting";

const Markdown = lazy(() => import("@/components/markdown"));

interface ContractBodyProps {
  projectId: string;
  contract: Contract;
}

/** A contract in the view that the address asks for. */
export function ContractBody({ projectId, contract }: ContractBodyProps) {
  const [search] = useSearchParams();
  const navigate = useNavigate();
  const views = useMemo(() => viewsOf(contract), [contract]);
  const view = viewAsked(views, search.get("view"));
  return (
    <Card bg="var(--surface)">
      <Edition projectId={projectId} contract={contract} />
      <Tabs
        value={view}
        keepMounted={false}
        onChange={(chosen) =>
          navigate(
            paths.contract(
              projectId,
              contract.type,
              views.find(({ view }) => view === chosen)?.view,
            ),
            { preventScrollReset: true },
          )
        }
      >
        <Tabs.List mb="lg">
          {views.map(({ view, label }) => (
            <Tabs.Tab key={view} value={view} className={classes.tab}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="document">
          <Suspense fallback={<Waiting />}>
            <div className={classes.document}>
              <Markdown text={contract.content} />
            </div>
          </Suspense>
        </Tabs.Panel>
        <Tabs.Panel value="picture">
          <ContractPicture contract={contract} />
        </Tabs.Panel>
        <Tabs.Panel value="text">
          <ContractText contract={contract} line={Number(search.get("line")) || null} />
        </Tabs.Panel>
        <Tabs.Panel value="history">
          <History projectId={projectId} contract={contract} />
        </Tabs.Panel>
      </Tabs>
    </Card>
  );
}

function Edition({ projectId, contract }: ContractBodyProps) {
  const summary = { ...contract, tokens: 0 };
  const origins = useOrigins(projectId, [summary]);
  return (
    <Group gap="xs" mb="sm">
      <ToneBadge tone={contract.source === "template" ? "waiting" : "neutral"}>
        {editionWords(contract, origins)}
      </ToneBadge>
      {contract.updated_at && (
        <Text fz="xs" c="dimmed">
          Changed <TimeAgo at={contract.updated_at} />
        </Text>
      )}
      {contract.source === "template" && (
        <Text fz="xs" c="dimmed">
          Edit it to make it your own.
        </Text>
      )}
    </Group>
  );
}
