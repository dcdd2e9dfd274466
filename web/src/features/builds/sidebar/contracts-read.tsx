import { Group, Text } from "@mantine/core";
import { contractEdition, contractName } from "@/domain/contract-names";
import type { Build } from "@/lib/api";

/** The contracts that agents have read, by role. */
export function ContractsRead({ build }: { build: Build }) {
  const readers = new Map<string, { version: number; source: string; roles: Set<string> }>();
  for (const { contract, version, source, role } of build.contracts_read) {
    const entry = readers.get(contract) ?? { version, source, roles: new Set() };
    entry.roles.add(role);
    readers.set(contract, entry);
  }
  if (readers.size === 0) {
    return (
      <Text fz="sm" c="dimmed">
        None yet. Agents read contracts on demand.
      </Text>
    );
  }
  return (
    <ul className="plain-list">
      {[...readers].map(([contract, { version, source, roles }]) => (
        <Group
          component="li"
          key={contract}
          justify="space-between"
          align="baseline"
          gap="xs"
          wrap="nowrap"
          py={2}
          fz="sm"
        >
          <span>
            {contractName(contract)}{" "}
            <Text span fz="xs" c="dimmed">
              {contractEdition({ version, source })}
            </Text>
          </span>
          <Text span fz="xs" c="dimmed">
            {[...roles].join(", ")}
          </Text>
        </Group>
      ))}
    </ul>
  );
}
