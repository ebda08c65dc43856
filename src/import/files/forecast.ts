/** How many files a run would fetch, for a dry run: by what the export says of them. */
import { expiryOf } from '../../attachments/address.ts';
import { filesOfTicket } from '../../attachments/files-of-ticket.ts';
import type { CheckpointReader } from '../../checkpoint/read-checkpoint.ts';
import type { FilesForecast } from '../../domain/survey.ts';
import { examineExport } from '../examine.ts';
import type { ImportJob } from '../import-job.ts';
import { fileRules, sourceCredentials } from './fetch-files.ts';

const MOST_HOSTS_SHOWN = 5;
const MOST_HOSTS = 20;

/** `lines`: the same for people. */
export async function forecastFiles(
  job: ImportJob,
  checkpoint: CheckpointReader | undefined,
): Promise<{ readonly forecast: FilesForecast; readonly lines: readonly string[] }> {
  const { settings, ports } = job;
  const ledger = checkpoint?.files;
  const rules = fileRules(settings, await sourceCredentials(ports.env));
  const seen = new Set<string>();
  const hosts = new Map<string, number>();
  const ends: number[] = [];
  const sizes: number[] = [];
  let waiting = 0;
  let wanted = 0;
  for await (const chunk of examineExport(job, ports.soft, checkpoint)) {
    for (const examined of chunk) {
      if (examined.kind !== 'ticket' || examined.skippedBecause !== undefined) continue;
      const ticket = examined.result.checked ?? examined.result.withheld;
      if (ticket === undefined) continue;
      const own = filesOfTicket(ticket, rules).map(({ file }) => file);
      const isThere = examined.step.action === undefined && examined.step.outcome === 'done';
      if (isThere && own.some(({ key }) => ledger?.get(key)?.reason !== undefined)) waiting++;
      for (const { key, address, sizeBytes } of own) {
        if (seen.has(key)) continue;
        seen.add(key);
        if (ledger?.get(key)?.hash !== undefined) continue;
        wanted++;
        const { host } = new URL(address);
        hosts.set(host, (hosts.get(host) ?? 0) + 1);
        if (sizeBytes !== undefined) sizes.push(sizeBytes);
        const end = expiryOf(address);
        if (end !== undefined) ends.push(end);
      }
    }
  }
  const sum = sizes.reduce((total, size) => total + size, 0);
  const left = ends.filter((end) => end > ports.clock.now());
  const utc = (end: number) => new Date(end).toISOString();
  const forecast: FilesForecast = {
    wanted,
    known: seen.size - wanted,
    waiting,
    sized: sizes.length,
    bytes: sizes.length === 0 ? undefined : Math.round((sum / sizes.length) * wanted),
    hostsTotal: hosts.size,
    hosts: [...hosts]
      .map(([host, files]) => ({ host, files }))
      .toSorted((one, other) => other.files - one.files)
      .slice(0, MOST_HOSTS),
    signatures: {
      expired: ends.length - left.length,
      ending: left.length,
      ...(left.length > 0 && {
        first: utc(left.reduce((one, other) => Math.min(one, other))),
        last: utc(left.reduce((one, other) => Math.max(one, other))),
      }),
    },
  };
  return { forecast, lines: linesOf(forecast, settings.delta) };
}

function linesOf(
  { wanted, known, waiting, sized, bytes, hosts, hostsTotal, signatures }: FilesForecast,
  isDelta: boolean,
): string[] {
  const count = (many: number) => `${many.toLocaleString('en')} ${many === 1 ? 'file' : 'files'}`;
  const size =
    bytes === undefined
      ? 'of unknown size'
      : `about ${(bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)} MB (the export has the size of ${sized.toLocaleString('en')})`;
  const { expired, ending, first = '', last = '' } = signatures;
  const shown = hosts.slice(0, MOST_HOSTS_SHOWN);
  const lines: readonly (string | false)[] = [
    `Files: ${wanted.toLocaleString('en')} to fetch${wanted === 0 ? '' : `, ${size}`}; ${known.toLocaleString('en')} already fetched.`,
    ...shown.map(({ host, files }) => `Files of ${host}: ${files.toLocaleString('en')}.`),
    hostsTotal > shown.length && `Files of ${hostsTotal - shown.length} more hosts.`,
    waiting > 0 &&
      `${waiting === 1 ? '1 ticket in the helpdesk waits' : `${waiting} tickets in the helpdesk wait`} for files that were missing: ${isDelta ? 'sent again' : 'run --delta sends them again'} as soon as they can be fetched.`,
    ending > 0 &&
      `The signatures of ${count(ending)} end between ${first.slice(0, 19)}Z and ${last.slice(0, 19)}Z: fetch them before that.`,
    expired > 0 &&
      `The signatures of ${count(expired)} have expired: export again and fetch the files right away.`,
  ];
  return lines.filter((line) => typeof line === 'string');
}
