import { Box, List } from "@mantine/core";
import { Disclosure } from "@/components/disclosure";
import { contractName } from "@/domain/contract-names";
import type { GeneratedContract } from "@/lib/api";
import { plural } from "@/lib/format";

/** Submissions that were rejected and rewritten, collapsed by default. */
export function Rejections({ contracts }: { contracts: GeneratedContract[] }) {
  const refused = contracts.filter(({ refusals }) => refusals > 0);
  const count = refused.reduce((sum, { refusals }) => sum + refusals, 0);
  if (count === 0) return null;
  return (
    <Box mt="sm">
      <Disclosure summary={`${plural(count, "text")} rejected and rewritten`}>
        <List fz="sm">
          {refused.map(({ type, refusals, refusal }) => (
            <List.Item key={type}>
              <b>{contractName(type)}</b>
              {refusals > 1 && `, ${refusals} times`}
              {refusal && `: ${refusal}`}
            </List.Item>
          ))}
        </List>
      </Disclosure>
    </Box>
  );
}
