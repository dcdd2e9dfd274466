import { render } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import {
  ACTIONS,
  type Action,
  actionLabels,
  currentActions,
  runAction,
  useActions,
} from "./actions";

function Screen({ actions }: { actions: (Action | false)[] }) {
  useActions(actions);
  return null;
}

const names = () => currentActions().map(({ name }) => name);

describe("useActions", () => {
  it("returns available actions, the most specific screen first", () => {
    const pause = vi.fn();
    const layout = <Screen actions={[{ name: "signOut", run() {} }]} />;
    const { rerender } = render(
      <>
        {layout}
        <Screen actions={[{ name: "pause", run: pause }, false]} />
      </>,
    );
    expect(names()).toEqual(["pause", "signOut"]);
    runAction("pause");
    expect(pause).toHaveBeenCalledOnce();
    rerender(
      <>
        {layout}
        <Screen actions={[{ name: "resume", run() {} }]} />
      </>,
    );
    expect(names()).toEqual(["resume", "signOut"]);
    rerender(layout);
    runAction("resume");
    expect(names()).toEqual(["signOut"]);
  });
});

it("assigns no key twice on one screen", () => {
  // Activity and Changes are never shown together; global actions are available with either.
  for (const near of ["Activity", "Changes"]) {
    const other = near === "Activity" ? "Changes" : "Activity";
    const keys = Object.keys(ACTIONS)
      .map((name) => actionLabels(name as keyof typeof ACTIONS))
      .filter(({ screen, keys }) => keys && screen !== other)
      .map(({ keys }) => keys);
    expect(new Set(keys).size).toBe(keys.length);
  }
});
