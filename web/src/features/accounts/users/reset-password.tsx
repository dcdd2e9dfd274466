import { Button, Checkbox, Modal, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { DialogActions } from "@/components/dialog-actions";
import type { Invitation, User } from "@/lib/api";
import { notifyFailed } from "@/lib/notify";
import { useInvite } from "./api";

interface ResetPasswordProps {
  user: User;
  opened: boolean;
  onClose: () => void;
  onInvited: (invitation: Invitation) => void;
}

/** Creates a link to reset the password, and optionally revokes the user's forge keys. */
export function ResetPassword({ user, opened, onClose, onInvited }: ResetPasswordProps) {
  const invite = useInvite();
  const [revokeKeys, setRevokeKeys] = useState(true);
  const create = () =>
    invite.mutate(
      { user: user.id, revoke_keys: revokeKeys },
      {
        onSuccess: (invitation) => {
          onClose();
          onInvited(invitation);
        },
        onError: (error) => notifyFailed("Could not create the link", error),
      },
    );
  return (
    <Modal opened={opened} onClose={onClose} title={`Reset password of ${user.name}`} centered>
      <Stack>
        <Text fz="sm">
          You get a link by which {user.name} sets a new password. Using it signs them out
          everywhere else. An administrator cannot approve your builds for a while after you reset
          their password.
        </Text>
        <Checkbox
          label="Revoke their forge keys"
          checked={revokeKeys}
          onChange={(event) => setRevokeKeys(event.currentTarget.checked)}
        />
        <DialogActions onCancel={onClose}>
          <Button loading={invite.isPending} onClick={create}>
            Create link
          </Button>
        </DialogActions>
      </Stack>
    </Modal>
  );
}
