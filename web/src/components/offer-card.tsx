import { Box, Card, type CardProps, Group, ThemeIcon, Title } from "@mantine/core";
import { type ReactNode, useId } from "react";
import { toneLine } from "@/lib/tone";

interface OfferCardProps {
  icon: ReactNode;
  title: string;
  /** Below the title. */
  children: ReactNode;
  action: ReactNode;
}

/** The colors of a card that offers the next step. */
export const OFFER_COLORS: Pick<CardProps, "bg" | "bd"> = {
  bg: "linear-gradient(135deg, var(--tone-accent-ground), var(--surface) 70%)",
  bd: `1px solid ${toneLine("accent")}`,
};

/** Offers the next step of a project. */
export function OfferCard({ icon, title, children, action }: OfferCardProps) {
  const id = useId();
  return (
    <Card component="section" aria-labelledby={id} {...OFFER_COLORS}>
      <Group gap="1rem 1.25rem">
        <ThemeIcon size={44} radius="lg" variant="light" aria-hidden>
          {icon}
        </ThemeIcon>
        <Box flex="1 1 18rem">
          <Title order={2} id={id} mb={4}>
            {title}
          </Title>
          {children}
        </Box>
        {action}
      </Group>
    </Card>
  );
}
