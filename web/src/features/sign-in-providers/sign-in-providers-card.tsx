import { Button, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { CommandLineBlock } from "@/components/command-line-block";
import { PlainList } from "@/components/plain-list";
import { QueryView } from "@/components/query-view";
import { SectionCard } from "@/components/section-card";
import { useSignInProviders } from "./api";
import { ProviderForm } from "./provider-form";
import { ProviderRow } from "./provider-row";

/** Providers with which users sign in, besides their passwords. */
export function SignInProvidersCard() {
  const query = useSignInProviders();
  const [adds, setAdds] = useState(false);
  return (
    <SectionCard
      title="Sign-in providers"
      description="Users can sign in with GitHub or an OpenID Connect provider such as Keycloak or Google, besides their passwords. Client secrets are stored encrypted and never shown again."
      action={
        query.data && (
          <Button variant="default" onClick={() => setAdds(true)}>
            Add provider
          </Button>
        )
      }
    >
      <QueryView query={query} what="sign-in providers">
        {({ items, redirect_url: redirectUrl }) => (
          <Stack gap="sm">
            <div>
              <Text fz="sm" mb={4}>
                Redirect URL to register with each provider:
              </Text>
              <CommandLineBlock command={redirectUrl} what="redirect URL" />
            </div>
            {items.length === 0 ? (
              <Text c="dimmed" fz="sm">
                No providers. Users sign in with their passwords.
              </Text>
            ) : (
              <PlainList>
                {items.map((item) => (
                  <ProviderRow key={item.id} provider={item} redirectUrl={redirectUrl} />
                ))}
              </PlainList>
            )}
            {adds && (
              <ProviderForm
                provider={null}
                redirectUrl={redirectUrl}
                onClose={() => setAdds(false)}
              />
            )}
          </Stack>
        )}
      </QueryView>
    </SectionCard>
  );
}
