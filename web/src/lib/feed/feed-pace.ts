// When a page draws what has come: with the next frame, unless drawing is slower than what comes.

/** A hidden tab has no frames, and still must hear of a question. */
const NO_FRAME_MS = 200;
/** However slow the machine, so often it shows something new. */
const LONGEST_REST_MS = 250;

/** Returns the function that calls `flush` soon. What drawing took, twice that is left to everything else. */
export function createPace() {
  let restUntil = 0;

  function draw(flush: () => void) {
    let done = false;
    const once = () => {
      if (done) return;
      done = true;
      const begun = performance.now();
      flush();
      // After the frame, and so after layout and paint.
      setTimeout(() => {
        const now = performance.now();
        restUntil = now + Math.min(2 * (now - begun), LONGEST_REST_MS);
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
