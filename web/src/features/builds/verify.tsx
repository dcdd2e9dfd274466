import { Button, Text, Title } from "@mantine/core";
import { IconLink } from "@tabler/icons-react";
import { useEffect, useId, useRef } from "react";
import { VerifyResult } from "@/components/verify-result";
import { useActions } from "@/lib/actions";
import { messageOf } from "@/lib/problem";
import { useVerify } from "./api";
import classes from "./verify.module.css";

/** Anyone may check that nobody changed the record of this build. */
export function Verify({ buildId }: { buildId: string }) {
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
        Is the record untouched?
      </Title>
      <Text fz="sm" c="dimmed" my={6}>
        Every event carries the fingerprint of the one before it. ForgeGuard can follow the whole
        chain again, up to the seal and the branch.
      </Text>
      <Button
        size="xs"
        variant="default"
        leftSection={<IconLink size={14} aria-hidden />}
        loading={verify.isPending}
        onClick={() => verify.mutate()}
      >
        Verify now
      </Button>
      <div ref={result} role="status" className={classes.result}>
        {verify.data && <VerifyResult found={verify.data} />}
        {verify.isError && <Text fz="sm">Could not verify: {messageOf(verify.error)}</Text>}
      </div>
    </section>
  );
}
