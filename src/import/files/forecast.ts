/** What bringing the files along would take, for a dry run: by what the export says of them, without asking any host. */
import { expiryOf } from '../../attachments/address.ts';
import { asExported, filesOfTicket } from '../../attachments/kept-files.ts';
import type { FileLedger } from '../../domain/ledger.ts';
import { examineExport } from '../examine.ts';
import type { ImportJob } from '../import-job.ts';
import { sourceCredentials } from './fetch-files.ts';

const MOST_HOSTS = 5;

export async function forecastFiles(job: ImportJob, ledger: FileLedger | undefined): Promise<string[]> {
  const { settings, ports } = job;
  const { files } = settings;
  const { hosts: named } = await sourceCredentials(ports.env);
  const rules = { base: files.base, hosts: new Set([...(files.hosts ?? []), ...named]) };
  const seen = new Set<string>();
  const hosts = new Map<string, number>();
  const now = ports.clock.now();
  let known = 0;
  let bytes = 0;
  let sized = 0;
  let over = 0;
  let firstEnd = Number.POSITIVE_INFINITY;
  for await (const chunk of examineExport(job, ports.soft)) {
    for (const examined of chunk) {
      const found =
        examined.kind === 'ticket' ? (examined.result.checked ?? examined.result.withheld) : undefined;
      if (found === undefined || examined.skippedBecause !== undefined) continue;
      for (const { file } of filesOfTicket(asExported(found), rules)) {
        if (seen.has(file.key)) continue;
        seen.add(file.key);
        if (ledger?.get(file.key)?.hash !== undefined) {
          known++;
          continue;
        }
        const { host } = new URL(file.address);
        hosts.set(host, (hosts.get(host) ?? 0) + 1);
        if (file.sizeBytes !== undefined) {
          bytes += file.sizeBytes;
          sized++;
        }
        const ends = expiryOf(file.address);
        if (ends !== undefined && ends <= now) over++;
        else if (ends !== undefined) firstEnd = Math.min(firstEnd, ends);
      }
    }
  }
  const wanted = seen.size - known;
  const each = sized === 0 ? 0 : bytes / sized;
  const inAll =
    sized === 0
      ? 'of unknown size'
      : `about ${megabytes(each * wanted)} MB (the export tells the size of ${sized})`;
  const byHost = [...hosts].toSorted(([, one], [, other]) => other - one);
  const shown = byHost.slice(0, MOST_HOSTS).map(([host, count]) => `${host} ${count}`);
  if (byHost.length > MOST_HOSTS) shown.push(`${byHost.length - MOST_HOSTS} more hosts`);
  const lines = [
    `Files: ${wanted} to fetch, ${inAll}; ${known} are there already.${wanted === 0 ? '' : ` By host: ${shown.join(', ')}.`}`,
  ];
  if (Number.isFinite(firstEnd))
    lines.push(
      `Files have signed addresses, and the first of them ends at ${new Date(firstEnd).toISOString().slice(0, 19)}Z: fetch them before that.`,
    );
  if (over > 0)
    lines.push(`The signatures of ${over} files have expired: export again and fetch the files right away.`);
  return lines;
}

const megabytes = (bytes: number) => (bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0);
