/** Times, written by the service in UTC, in the viewer's own zone with UTC beside it. */
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC';
const parts = { day: 'numeric', month: 'short', year: 'numeric' };
const clock = { hour: '2-digit', minute: '2-digit', hour12: false, hourCycle: 'h23' };
const format = (options, timeZone) => new Intl.DateTimeFormat('en-GB', { ...options, timeZone });
const local = { day: format(parts, zone), full: format({ ...parts, ...clock }, zone) };
const utc = {
  day: format(parts, 'UTC'),
  full: format({ ...parts, ...clock }, 'UTC'),
  clock: format(clock, 'UTC'),
};
const exact = format({ ...parts, ...clock, second: '2-digit', timeZoneName: 'short' }, zone);

for (const element of document.querySelectorAll('time')) {
  const date = new Date(element.dateTime);
  if (Number.isNaN(date.getTime())) continue;
  element.title = `${exact.format(date)} (${zone})\n${element.dateTime}`;
  if (element.dataset.show === 'day') {
    element.textContent = local.day.format(date);
    continue;
  }
  const there = local.full.format(date);
  if (there === utc.full.format(date)) continue;
  const sameDay = local.day.format(date) === utc.day.format(date);
  const beside = document.createElement('span');
  beside.className = 'utc';
  beside.textContent = `${(sameDay ? utc.clock : utc.full).format(date)} UTC`;
  element.replaceChildren(there, ' ', beside);
}
for (const element of document.querySelectorAll('[data-zone]')) {
  element.textContent = /^(?:Etc\/)?(?:UTC|GMT)$/.test(zone) ? 'UTC' : `${zone} and UTC`;
}

export {};
