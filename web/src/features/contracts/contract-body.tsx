import { Box, Card, Group, Tabs, Text } from "@mantine/core";
import { IconFileOff } from "@tabler/icons-react";
import { lazy, Suspense, useMemo } from "react";
import { useNavigate, useSearchParams } from "react-router";
import { CenteredLoader } from "@/components/centered-loader";
import { Disclosure } from "@/components/disclosure";
import { EmptyState } from "@/components/empty-state";
import { TimeAgo } from "@/components/time-ago";
import { ToneBadge } from "@/components/tone-badge";
import { isWritten } from "@/domain/contract-names";
import type { Contract } from "@/lib/api";
import { paths } from "@/lib/paths";
import { useOrigins } from "./api";
import { ContractText } from "./contract-text";
import { requestedView, viewsOf } from "./contract-views";
import { ContractDiagram } from "./diagrams/contract-diagram";
import { History } from "./history/history";
import { versionLabel } from "./version-labels";

const Markdown = lazy(() => import("@/components/markdown"));

interface ContractBodyProps {
  projectId: string;
  contract: Contract;
}

/** A contract in the view from the address. */
export function ContractBody({ projectId, contract }: ContractBodyProps) {
  if (isWritten(contract)) return <Views projectId={projectId} contract={contract} />;
  return (
    <Card>
      <EmptyState icon={<IconFileOff size={22} />} title="Not written yet">
        Until then, agents read an example that is the same for every project.
      </EmptyState>
      <Disclosure summary="Show example">
        <Box mt="sm">
          <Views projectId={projectId} contract={contract} />
        </Box>
      </Disclosure>
    </Card>
  );
}

function Views({ projectId, contract }: ContractBodyProps) {
  const [search] = useSearchParams();
  const navigate = useNavigate();
  const views = useMemo(() => viewsOf(contract), [contract]);
  const view = requestedView(views, search.get("view"));
  return (
    <Card>
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
            <Tabs.Tab key={view} value={view} px={{ base: 10, xs: "md" }}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="document">
          <Suspense fallback={<CenteredLoader />}>
            <Box maw={736}>
              <Markdown text={contract.content} />
            </Box>
          </Suspense>
        </Tabs.Panel>
        <Tabs.Panel value="picture">
          <ContractDiagram contract={contract} />
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
        {versionLabel(contract, origins)}
      </ToneBadge>
      {contract.updated_at && (
        <Text fz="xs" c="dimmed">
          Changed <TimeAgo at={contract.updated_at} />
        </Text>
      )}
    </Group>
  );
}
