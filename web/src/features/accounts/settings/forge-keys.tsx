import { Button, Code } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconKey, IconPlus } from "@tabler/icons-react";
import { EmptyState } from "@/components/empty-state";
import { LimitedList } from "@/components/limited-list";
import { PlainList } from "@/components/plain-list";
import { QueryView } from "@/components/query-view";
import { SectionCard } from "@/components/section-card";
import { useForgeKeys } from "./api";
import { ForgeKeyRow } from "./forge-key-row";
import { NewForgeKey } from "./new-forge-key";

export function ForgeKeys() {
  const query = useForgeKeys();
  const [opened, { open, close }] = useDisclosure(false);
  return (
    <SectionCard
      title="Forge keys"
      description="For git, scripts and other programs that act on your behalf. Revoke keys that you no longer use."
      action={
        <Button variant="default" leftSection={<IconPlus size={16} aria-hidden />} onClick={open}>
          New key
        </Button>
      }
    >
      <NewForgeKey opened={opened} onClose={close} />
      <QueryView query={query} what="keys">
        {(items) =>
          items.length === 0 ? (
            <EmptyState icon={<IconKey size={22} />} title="No keys yet" order={3}>
              Create one to clone a project with git or to call the API from a script. In a
              terminal, <Code>forgeguard login --server {window.location.origin}</Code> gets one.
            </EmptyState>
          ) : (
            <LimitedList items={items}>
              {(shown) => (
                <PlainList>
                  {shown.map((item) => (
                    <ForgeKeyRow key={item.id} forgeKey={item} />
                  ))}
                </PlainList>
              )}
            </LimitedList>
          )
        }
      </QueryView>
    </SectionCard>
  );
}
