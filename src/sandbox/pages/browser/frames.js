/**
 * Brings the frame of each body when it comes into view, and gives it the height of what it holds. The frames run no script of
 * their own; this page, being of the same origin, looks into them. All it takes from there is a number.
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

const seen = new IntersectionObserver(
  (entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      seen.unobserve(target);
      const made = target.querySelector('template').content.cloneNode(true);
      const frame = made.querySelector('iframe');
      frame.loading = 'eager';
      frame.addEventListener('load', () => follow(frame));
      target.append(made);
    }
  },
  // About a screen before it is needed.
  { rootMargin: '100% 0px' },
);
for (const place of document.querySelectorAll('.framed')) seen.observe(place);

export {};
