import { Alert, Button, Divider, Stack } from "@mantine/core";
import { IconBrandGithub, IconKey } from "@tabler/icons-react";
import { messageOf } from "@/lib/api-error";
import { useSignInOptions, useSignInWith } from "../providers-api";

interface ProviderButtonsProps {
  /** The page to show afterwards. */
  returnTo?: string;
  /** The token of an invitation link. */
  invitation?: string;
}

/** One button for each provider; nothing without providers. */
export function ProviderButtons({ returnTo, invitation }: ProviderButtonsProps) {
  const options = useSignInOptions().data ?? [];
  const start = useSignInWith();
  if (options.length === 0) return null;
  return (
    <Stack gap="sm" mt="md">
      <Divider label="or" />
      {start.error && (
        <Alert color="red" p="sm" role="alert">
          {messageOf(start.error)}
        </Alert>
      )}
      {options.map(({ id, name, kind }) => (
        <Button
          key={id}
          variant="default"
          fullWidth
          leftSection={
            kind === "github" ? (
              <IconBrandGithub size={16} aria-hidden />
            ) : (
              <IconKey size={16} aria-hidden />
            )
          }
          loading={(start.isPending || start.isSuccess) && start.variables?.provider === id}
          onClick={() => start.mutate({ provider: id, returnTo, invitation })}
        >
          Sign in with {name}
        </Button>
      ))}
    </Stack>
  );
}
