import { IconForms, IconMessages } from "@tabler/icons-react";
import { Link } from "react-router";
import { paths } from "@/lib/paths";
import classes from "./questionnaire.module.css";

interface WaySwitchProps {
  projectId: string;
  talking: boolean;
}

/** The two ways to answer: the form, or a conversation that fills it. */
export function WaySwitch({ projectId, talking }: WaySwitchProps) {
  return (
    <nav aria-label="How to answer" className={classes.ways}>
      <Link to={paths.questionnaire(projectId)} aria-current={talking ? undefined : "page"}>
        <IconForms size={16} aria-hidden />
        Form
      </Link>
      <Link to={paths.conversation(projectId)} aria-current={talking ? "page" : undefined}>
        <IconMessages size={16} aria-hidden />
        Conversation
      </Link>
    </nav>
  );
}
