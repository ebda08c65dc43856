/** The pages' pictures, drawn here: nothing is requested for them. Decoration only; words stand beside them. */
import { raw } from 'hono/html';

const PATHS = {
  inbox: '<path d="M4 13h4l1.5 3h5L16 13h4"/><path d="M6.2 5h11.6L20 13v6H4v-6z"/>',
  people:
    '<circle cx="9" cy="8" r="3.5"/><path d="M2.5 20c.6-3.8 3-6 6.5-6s5.9 2.2 6.5 6"/><path d="M16 5a3.5 3.5 0 0 1 0 6.500M18.5 14.800c1.7 1 2.7 2.8 3 5.2"/>',
  usage: '<path d="M4 20V4m0 16h16M8 16v-4m4 4V7m4 9v-6"/>',
  download: '<path d="M12 4v11m-4.5-4.5L12 15l4.500-4.500M5 20h14"/>',
  search: '<circle cx="11" cy="11" r="6.5"/><path d="m20 20-4.3-4.3"/>',
  lock: '<rect x="5" y="11" width="14" height="9" rx="2"/><path d="M8 11V8a4 4 0 0 1 8 0v3"/>',
  back: '<path d="M19 12H5m6-6-6 6 6 6"/>',
  up: '<path d="m6 15 6-6 6 6"/>',
  down: '<path d="m6 9 6 6 6-6"/>',
  replies: '<path d="M20 15a2 2 0 0 1-2 2H9l-5 4V6a2 2 0 0 1 2-2h12a2 2 0 0 1 2 2z"/>',
  flag: '<path d="M5 21V4m0 1h13l-3 4.500L18 14H5"/>',
  keyboard:
    '<rect x="2.5" y="6" width="19" height="12" rx="2"/><path d="M6.5 10h.01M10 10h.01M13.8 10h.01M17.5 10h.01M8 14h8"/>',
} as const;
export type IconName = keyof typeof PATHS;

export function icon(name: IconName): ReturnType<typeof raw> {
  return raw(`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true">${PATHS[name]}</svg>`);
}

/** The sandbox's own mark: a conversation that has arrived in a tray. */
export const BRAND_MARK = raw(
  `<svg viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="8" fill="#2a53c8"/><path d="M9 8.500h14a2 2 0 0 1 2 2V17a2 2 0 0 1-2 2h-6.500L11.5 23v-4H9a2 2 0 0 1-2-2v-6.500a2 2 0 0 1 2-2z" fill="#fff"/><path d="M16 10.800v5m-2.3-2.1 2.3 2.3 2.3-2.3" fill="none" stroke="#2a53c8" stroke-width="1.7" stroke-linecap="round" stroke-linejoin="round"/></svg>`,
);
