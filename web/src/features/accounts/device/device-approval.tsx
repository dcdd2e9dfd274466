import { Alert, Button, Group, List, Stack, Text } from "@mantine/core";
import { IconCircleCheck, IconCircleX } from "@tabler/icons-react";
import { useState } from "react";
import { CenteredLoader } from "@/components/centered-loader";
import { EmptyState } from "@/components/empty-state";
import { Facts } from "@/components/facts";
import { TimeAgo } from "@/components/time-ago";
import type { Schemas } from "@/lib/api";
import { isStatus, messageOf } from "@/lib/api-error";
import { useSession } from "../api";
import { KeyLife } from "../key-life";
import { CHOSEN_SCOPES } from "../key-scopes";
import { useApproveDevice, useDenyDevice, useWaitingDevice } from "./api";
import { DeviceCodeForm } from "./device-code-form";

interface Props {
  code: string;
  /** Another code was entered. */
  onEnter: (code: string) => void;
}

/** Shows the device with this code, and asks whether it gets a key. */
export function DeviceApproval({ code, onEnter }: Props) {
  const device = useWaitingDevice(code);
  const approve = useApproveDevice(code);
  const deny = useDenyDevice(code);
  if (approve.isSuccess) {
    return (
      <EmptyState icon={<IconCircleCheck size={22} />} title="Approved" order={2}>
        Return to your terminal: it is signed in within a few seconds. You can revoke its key on the
        account page.
      </EmptyState>
    );
  }
  if (deny.isSuccess) {
    return (
      <EmptyState icon={<IconCircleX size={22} />} title="Denied" order={2}>
        The device gets no key.
      </EmptyState>
    );
  }
  if (device.isPending) return <CenteredLoader />;
  const error = device.error ?? approve.error ?? deny.error;
  if (isStatus(error, 404) || !device.data) {
    const problem = isStatus(error, 404)
      ? "No device waits with this code. It may have expired: start again in your terminal."
      : messageOf(error);
    return <DeviceCodeForm key={code} onEnter={onEnter} problem={problem} />;
  }
  return (
    <Decision
      device={device.data}
      problem={error ? messageOf(error) : undefined}
      isApproving={approve.isPending}
      isDenying={deny.isPending}
      onApprove={approve.mutate}
      onDeny={() => deny.mutate()}
    />
  );
}

interface DecisionProps {
  device: Schemas["WaitingDevice"];
  problem: string | undefined;
  isApproving: boolean;
  isDenying: boolean;
  onApprove: (expiresInDays: number | null) => void;
  onDeny: () => void;
}

function Decision({ device, problem, isApproving, isDenying, onApprove, onDeny }: DecisionProps) {
  const user = useSession().data;
  const [life, setLife] = useState<number | null>(365);
  return (
    <Stack>
      {problem && (
        <Alert color="red" p="sm" role="alert">
          {problem}
        </Alert>
      )}
      <Facts
        facts={[
          ["Device", device.device_name],
          ["Address", device.address],
          ["Requested", <TimeAgo key="at" at={device.created_at} />],
        ]}
      />
      <div>
        <Text fz="sm" fw={550}>
          Its key permits
        </Text>
        <List fz="sm" mt={4}>
          {permitted(device.scopes).map((what) => (
            <List.Item key={what}>{what}</List.Item>
          ))}
        </List>
      </div>
      <KeyLife label="The key expires" value={life} onChange={setLife} />
      <Text fz="sm" c="dimmed">
        You are signed in as {user?.email}. Approve only if you have started this sign-in yourself,
        and your terminal shows <strong style={{ whiteSpace: "nowrap" }}>{device.user_code}</strong>
        .
      </Text>
      <Group grow>
        <Button variant="default" loading={isDenying} disabled={isApproving} onClick={onDeny}>
          Deny
        </Button>
        <Button loading={isApproving} disabled={isDenying} onClick={() => onApprove(life)}>
          Approve
        </Button>
      </Group>
    </Stack>
  );
}

function permitted(scopes: readonly string[] | null): string[] {
  if (!scopes) return ["Everything that your account may do with a key"];
  const chosen = CHOSEN_SCOPES.filter((scope) => scopes.includes(scope.value));
  return ["View and clone", ...chosen.map((scope) => scope.description)];
}
