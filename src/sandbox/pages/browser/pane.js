/**
 * The pane beside a list: the ticket that one stands on, while one goes on through the list. Off at first; whether it is on is
 * remembered for this tab. A click shows a row in it, and Enter opens the ticket as without it.
 */
const beside = document.querySelector('[data-beside]');
const toggle = document.querySelector('[data-pane-switch]');
const WAIT_MS = 120;
let pane;
let waiting;

function remember(on) {
  try {
    sessionStorage.setItem('pane', on ? 'on' : '');
  } catch {}
}

function remembered() {
  try {
    return sessionStorage.getItem('pane') === 'on';
  } catch {
    return false;
  }
}

function show(row) {
  clearTimeout(waiting);
  // Rows that one only passes are not asked for.
  waiting = setTimeout(() => {
    const address = `${row.getAttribute('href')}/peek`;
    // Without an entry in the history, so that the way back leads out of the list.
    if (pane && pane.dataset.shows !== address) pane.contentWindow.location.replace(address);
    if (pane) pane.dataset.shows = address;
    for (const other of beside.querySelectorAll('.shown')) other.classList.remove('shown');
    row.closest('.ticket')?.classList.add('shown');
  }, WAIT_MS);
}

function turn(on) {
  toggle.setAttribute('aria-pressed', String(on));
  beside.classList.toggle('with-pane', on);
  remember(on);
  if (!on) {
    pane?.remove();
    pane = undefined;
    return;
  }
  pane ??= document.createElement('iframe');
  pane.className = 'pane card';
  pane.title = 'The ticket that is chosen in the list';
  beside.append(pane);
  const rows = [...beside.querySelectorAll('a[data-row]')];
  const row = rows.find((each) => each === document.activeElement) ?? rows[0];
  if (row) show(row);
}

if (beside && toggle) {
  toggle.hidden = false;
  toggle.addEventListener('click', () => turn(pane === undefined));
  beside.addEventListener('focusin', ({ target }) => {
    if (pane && target.matches('a[data-row]')) show(target);
  });
  beside.addEventListener('click', (event) => {
    const row = event.target.closest('a[data-row]');
    // By the keyboard it is no click of a pointer (detail 0); where the pane has no room it is not there.
    if (!row || !pane?.offsetParent || event.detail === 0 || event.ctrlKey || event.metaKey || event.shiftKey)
      return;
    event.preventDefault();
    row.focus();
    show(row);
  });
  if (remembered()) turn(true);
}

export {};
