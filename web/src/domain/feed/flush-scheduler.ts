// Schedules rendering of new events: with the next frame, or less often if rendering is slow.

/** Hidden tabs get no animation frames, but must still process questions. */
const NO_FRAME_MS = 200;
/** The maximum pause between flushes. */
const MAX_REST_MS = 250;

/** Returns a function that calls `flush` soon. After each flush, pauses for twice the time that rendering took. */
export function createFlushScheduler() {
  let restUntil = 0;

  function draw(flush: () => void) {
    let done = false;
    const once = () => {
      if (done) return;
      done = true;
      const begun = performance.now();
      flush();
      // After the frame, and thus after layout and paint.
      setTimeout(() => {
        const now = performance.now();
        restUntil = now + Math.min(2 * (now - begun), MAX_REST_MS);
      });
    };
    requestAnimationFrame(once);
    setTimeout(once, NO_FRAME_MS);
  }

  return (flush: () => void) => {
    const rest = restUntil - performance.now();
    if (rest > 0) setTimeout(() => draw(flush), rest);
    else draw(flush);
  };
}
