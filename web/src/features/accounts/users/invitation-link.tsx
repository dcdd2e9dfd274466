import { Alert, Button, Group, Modal, Stack, Text } from "@mantine/core";
import { CommandLineBlock } from "@/components/command-line-block";
import { TimeAgo } from "@/components/time-ago";
import type { Invitation } from "@/lib/api";

interface InvitationLinkProps {
  invitation: Invitation | null;
  name: string;
  onClose: () => void;
}

/** Shows a one-time link, which cannot be displayed again. */
export function InvitationLink({ invitation, name, onClose }: InvitationLinkProps) {
  return (
    <Modal
      opened={invitation !== null}
      onClose={onClose}
      title={`Link for ${name}`}
      centered
      closeOnClickOutside={false}
    >
      {invitation && (
        <Stack>
          <Text fz="sm">
            Opening this link sets the password of {name} and signs in. It can be used once and
            expires <TimeAgo at={invitation.expires_at} />.
          </Text>
          <CommandLineBlock
            command={`${window.location.origin}${invitation.path}`}
            what="invitation link"
          />
          <Alert color="yellow" p="sm" role="status">
            Copy this link now and send it over a secure channel. It will not be shown again.
          </Alert>
          <Group justify="flex-end">
            <Button onClick={onClose}>Done</Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}
