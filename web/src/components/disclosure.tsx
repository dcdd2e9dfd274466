import { Box } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconChevronDown } from "@tabler/icons-react";
import { type ReactNode, useId } from "react";
import classes from "./disclosure.module.css";

interface ControlledDisclosureProps {
  summary: ReactNode;
  children: ReactNode;
  opened: boolean;
  onToggle: () => void;
  /** Of the button. */
  className?: string;
  /** Wraps the button in a heading of level 3. */
  heading?: boolean;
}

interface DisclosureButtonProps {
  opened: boolean;
  onToggle: () => void;
  children: ReactNode;
  /** The id of the content, if it is in one element. */
  controls?: string;
  className?: string;
}

/** A button for content that it shows and hides. Uses plain elements, because a busy build renders dozens at a time. */
export function DisclosureButton(props: DisclosureButtonProps) {
  const { opened, onToggle, children, controls, className = "" } = props;
  return (
    <button
      type="button"
      className={`mantine-focus-auto ${classes.button} ${className}`}
      aria-expanded={opened}
      aria-controls={controls}
      onClick={onToggle}
    >
      {children}
      <IconChevronDown size={16} className={classes.chevron} aria-hidden />
    </button>
  );
}

/** A button that shows and hides content. */
export function ControlledDisclosure(props: ControlledDisclosureProps) {
  const { summary, children, opened, onToggle, className, heading } = props;
  const id = useId();
  const button = (
    <DisclosureButton opened={opened} onToggle={onToggle} controls={id} className={className}>
      {summary}
    </DisclosureButton>
  );
  return (
    <>
      {heading ? (
        <Box component="h3" m={0}>
          {button}
        </Box>
      ) : (
        button
      )}
      <div id={id} hidden={!opened}>
        {opened && children}
      </div>
    </>
  );
}

interface DisclosureProps extends Omit<ControlledDisclosureProps, "opened" | "onToggle"> {
  openByDefault?: boolean;
}

export function Disclosure({ openByDefault = false, ...props }: DisclosureProps) {
  const [opened, { toggle }] = useDisclosure(openByDefault);
  return <ControlledDisclosure {...props} opened={opened} onToggle={toggle} />;
}
