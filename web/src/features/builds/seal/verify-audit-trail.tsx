import { Box, Button, Text, Title } from "@mantine/core";
import { IconLink } from "@tabler/icons-react";
import { useEffect, useId, useRef } from "react";
import { VerifyResult } from "@/components/verify-result";
import { useActions } from "@/domain/actions";
import { messageOf } from "@/lib/api-error";
import { useVerify } from "../api";

/** Verifies the build's records on demand. */
export function VerifyAuditTrail({ buildId }: { buildId: string }) {
  const id = useId();
  const verify = useVerify(buildId);
  const result = useRef<HTMLDivElement>(null);
  useActions([{ name: "verify", run: () => verify.mutate() }]);
  useEffect(() => {
    if (verify.data) result.current?.scrollIntoView({ block: "nearest" });
  }, [verify.data]);
  return (
    <section aria-labelledby={id}>
      <Title order={3} id={id}>
        Verify audit trail
      </Title>
      <Text fz="sm" c="dimmed" my={6}>
        Recomputes the hash chain of all events and compares the result with the database, the
        contracts, the signed seal, the branch, the reviews and the audit log.
      </Text>
      <Button
        size="xs"
        variant="default"
        leftSection={<IconLink size={14} aria-hidden />}
        loading={verify.isPending}
        onClick={() => verify.mutate()}
      >
        Verify
      </Button>
      <div ref={result} role="status" style={{ scrollMarginBlock: "1.5rem" }}>
        {verify.data && (
          <Box mt={10}>
            <VerifyResult found={verify.data} />
          </Box>
        )}
        {verify.isError && (
          <Text fz="sm" mt={10}>
            Could not verify: {messageOf(verify.error)}
          </Text>
        )}
      </div>
    </section>
  );
}
