import { Center, Code, Drawer, Group, Loader, Text } from "@mantine/core";
import { lazy, Suspense } from "react";
import { QueryView } from "@/components/query-view";
import { TimeAgo } from "@/components/time-ago";
import { ToneBadge } from "@/components/tone-badge";
import type { Contract } from "@/lib/api";
import { contractName } from "@/lib/contract-names";
import { useContract } from "./api";

const Markdown = lazy(() => import("@/components/markdown"));

interface ContractDrawerProps {
  projectId: string;
  type: string | null;
  onClose: () => void;
}

export function ContractDrawer({ projectId, type, onClose }: ContractDrawerProps) {
  return (
    <Drawer
      opened={type !== null}
      onClose={onClose}
      position="right"
      size="44rem"
      title={type ? contractName(type) : ""}
      styles={{ title: { fontWeight: 620, fontSize: "1.0625rem" } }}
    >
      {type && <Document projectId={projectId} type={type} />}
    </Drawer>
  );
}

function Document({ projectId, type }: { projectId: string; type: string }) {
  const query = useContract(projectId, type);
  return (
    <QueryView query={query} what="the contract">
      {(contract: Contract) => (
        <>
          <Group gap="xs" mb="md">
            <ToneBadge tone={contract.source === "template" ? "waiting" : "neutral"}>
              {contract.source === "template"
                ? "Neutral example, not written for this project"
                : `Version ${contract.version}`}
            </ToneBadge>
            {contract.updated_at && (
              <Text fz="xs" c="dimmed">
                Changed <TimeAgo at={contract.updated_at} />
              </Text>
            )}
          </Group>
          {contract.format === "markdown" ? (
            <Suspense
              fallback={
                <Center py="xl">
                  <Loader aria-label="Loading" />
                </Center>
              }
            >
              <Markdown text={contract.content} />
            </Suspense>
          ) : (
            <Code
              block
              tabIndex={0}
              aria-label={`${contractName(contract.type)} as ${contract.format}`}
              role="region"
            >
              {contract.content}
            </Code>
          )}
        </>
      )}
    </QueryView>
  );
}
