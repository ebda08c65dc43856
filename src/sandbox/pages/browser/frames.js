/**
 * Gives the frame of each body the height of what it holds. The frames run no script of their own; this page, being of
 * the same origin, looks into them. All it takes from there is a number.
 */
const TALLEST = 20_000;

function adjust(frame) {
  const height = Number(frame.contentDocument?.body?.getBoundingClientRect().height);
  if (Number.isFinite(height) && height > 0) {
    frame.style.height = `${Math.min(TALLEST, Math.ceil(height))}px`;
    frame.dataset.fitted = '';
  }
}

function follow(frame) {
  adjust(frame);
  const body = frame.contentDocument?.body;
  // Its width changes with the window, and its height with that.
  if (body) new ResizeObserver(() => adjust(frame)).observe(body);
}

for (const frame of document.querySelectorAll('iframe[srcdoc]')) {
  frame.addEventListener('load', () => follow(frame));
  if (frame.contentDocument?.querySelector('.content')) follow(frame);
}

export {};
