// Scrolls to the next or previous change of a list of diffs.

/** Height of the sticky header of a file. */
export const HEADER_PX = 41;

/** False if no change is rendered in this direction. */
export function nextChange(scroller: HTMLElement, step: 1 | -1): boolean {
  const top = scroller.getBoundingClientRect().top + HEADER_PX;
  const starts = [...scroller.querySelectorAll<HTMLElement>("[data-change]")].map(
    (row) => row.getBoundingClientRect().top - top,
  );
  const distance =
    step === 1 ? starts.find((start) => start > 8) : starts.findLast((start) => start < -8);
  if (distance === undefined) return false;
  scroller.scrollBy({ top: distance });
  return true;
}
