/** What bringing the files along would take, for a dry run: by what the export says of them, and by asking a few of each host. */
import { expiryOf } from '../../attachments/address.ts';
import { FILES_PER_HOST } from '../../attachments/host-pace.ts';
import { LARGEST_FILE } from '../../attachments/judge-answer.ts';
import { asExported, filesOfTicket } from '../../attachments/kept-files.ts';
import type { WantedFile } from '../../attachments/ticket-files.ts';
import type { CheckpointReader } from '../../checkpoint/read-checkpoint.ts';
import type { FilesForecast } from '../../domain/survey.ts';
import { namedHosts } from '../../settings/settings.ts';
import { GuardedClient } from '../../verify/guarded-request.ts';
import { examineExport } from '../examine.ts';
import type { ImportJob } from '../import-job.ts';
import { askHost, type HostAnswers } from './ask-host.ts';
import { sourceCredentials } from './fetch-files.ts';

const MOST_HOSTS = 5;
/** Hosts that are asked, those with most files, and files of each. */
const MOST_ASKED = 20;
const ASKED_OF_HOST = 5;
const LONGEST_MS = 10_000;

interface Host {
  count: number;
  /** By the export. */
  bytes: number;
  sized: number;
  readonly sample: WantedFile[];
  answers?: HostAnswers | undefined;
}

interface Signed {
  over: number;
  count: number;
  first: number;
  last: number;
}

/** `lines`: the same for people. */
export async function forecastFiles(
  job: ImportJob,
  checkpoint: CheckpointReader | undefined,
): Promise<{ readonly forecast: FilesForecast; readonly lines: readonly string[] }> {
  const { settings, ports } = job;
  const { files, run } = settings;
  const ledger = checkpoint?.files;
  const credentials = await sourceCredentials(ports.env);
  const rules = {
    base: settings.source.ticketUrl,
    hosts: new Set([...(files.hosts ?? []), ...credentials.hosts]),
  };
  const seen = new Set<string>();
  const hosts = new Map<string, Host>();
  const signed: Signed = { over: 0, count: 0, first: Number.POSITIVE_INFINITY, last: 0 };
  let known = 0;
  let waiting = 0;
  for await (const chunk of examineExport(job, ports.soft, checkpoint)) {
    for (const examined of chunk) {
      if (examined.kind !== 'ticket' || examined.skippedBecause !== undefined) continue;
      const found = examined.result.checked ?? examined.result.withheld;
      if (found === undefined) continue;
      const own = filesOfTicket(asExported(found), rules);
      const isThere = examined.step.action === undefined && examined.step.outcome === 'done';
      if (isThere && own.some(({ file }) => ledger?.get(file.key)?.reason !== undefined)) waiting++;
      for (const { file } of own) {
        if (seen.has(file.key)) continue;
        seen.add(file.key);
        if (ledger?.get(file.key)?.hash !== undefined) known++;
        else {
          count(file, hosts);
          countSigned(expiryOf(file.address), ports.clock.now(), signed);
        }
      }
    }
  }
  const byCount = [...hosts].toSorted(([, one], [, other]) => other.count - one.count);
  const timeoutMs = Math.min(LONGEST_MS, run.timeout * 1000);
  await using client = new GuardedClient({
    timeoutMs,
    privateHosts: [...namedHosts(files), ...credentials.hosts],
    env: ports.env,
  });
  const asking = { client, credentials, clock: ports.clock, largest: LARGEST_FILE, timeoutMs };
  await Promise.all(
    byCount.slice(0, MOST_ASKED).map(async ([, host]) => {
      host.answers = await askHost(host.sample, asking, ports.soft);
    }),
  );
  const forecast = forecastOf(byCount, signed, {
    wanted: seen.size - known,
    known,
    waiting,
  });
  return { forecast, lines: linesOf(forecast, settings.delta) };
}

/** Of a host with many files, those that are asked are spread: the first, second, fourth, eighth … */
function count(file: WantedFile, hosts: Map<string, Host>): void {
  const { host: name } = new URL(file.address);
  const host = hosts.get(name) ?? { count: 0, bytes: 0, sized: 0, sample: [] };
  hosts.set(name, host);
  host.count += 1;
  if (file.sizeBytes !== undefined) {
    host.bytes += file.sizeBytes;
    host.sized += 1;
  }
  if (host.sample.length < ASKED_OF_HOST) host.sample.push(file);
  else if (Number.isInteger(Math.log2(host.count))) host.sample[Math.log2(host.count) % ASKED_OF_HOST] = file;
}

function countSigned(ends: number | undefined, now: number, signed: Signed): void {
  if (ends === undefined) return;
  if (ends <= now) signed.over += 1;
  else {
    signed.count += 1;
    signed.first = Math.min(signed.first, ends);
    signed.last = Math.max(signed.last, ends);
  }
}

function forecastOf(
  hosts: readonly (readonly [string, Host])[],
  { over, count, first, last }: Signed,
  { wanted, known, waiting }: Record<'wanted' | 'known' | 'waiting', number>,
): FilesForecast {
  const all = hosts.map(([, host]) => host);
  const sum = (of: (host: Host) => number) => all.reduce((total, host) => total + of(host), 0);
  const [reported, sized] = [sum(({ bytes }) => bytes), sum((host) => host.sized)];
  const bytes = all.map((host) => bytesOf(host, sized === 0 ? undefined : reported / sized));
  const times = all.map((host, index) => timeOf(host, bytes[index]));
  return {
    wanted,
    known,
    waiting,
    sized,
    bytes: bytes.includes(undefined)
      ? undefined
      : Math.round(bytes.reduce<number>((total, one) => total + (one ?? 0), 0)),
    durationMs:
      wanted > 0 && times.some((ms) => ms !== undefined)
        ? Math.round(Math.max(1000, ...times.map((ms) => ms ?? 0)))
        : undefined,
    hostsTotal: hosts.length,
    hosts: hosts.slice(0, MOST_ASKED).map(([host, { count: files, answers }]) => ({
      host,
      files,
      asked: answers?.asked ?? 0,
      good: answers?.good ?? 0,
      others: Object.fromEntries(answers?.kinds ?? []),
    })),
    signatures: {
      expired: over,
      ending: count,
      ...(count > 0 && { first: new Date(first).toISOString(), last: new Date(last).toISOString() }),
    },
  };
}

function linesOf(
  { wanted, known, waiting, sized, bytes, hosts, hostsTotal, durationMs, signatures }: FilesForecast,
  isDelta: boolean,
): string[] {
  const size =
    bytes === undefined
      ? 'of unknown size'
      : `about ${megabytes(bytes)} (the export says the size of ${sized}, the others are estimated)`;
  const { expired, ending, first = '', last = '' } = signatures;
  const lines = [
    `Files: ${wanted} to fetch${wanted === 0 ? '' : `, ${size}`}; ${known} are there already.`,
    ...hosts.slice(0, MOST_HOSTS).map((host) => `Files of ${host.host}: ${host.files}. ${answersOf(host)}`),
    ...(hostsTotal > MOST_HOSTS ? [`Files of ${hostsTotal - MOST_HOSTS} more hosts.`] : []),
  ];
  if (waiting > 0)
    lines.push(
      `${waiting === 1 ? '1 ticket in the target waits' : `${waiting} tickets in the target wait`} for files that were missing: ${isDelta ? 'sent again' : 'run --delta sends them again'} as soon as they can be fetched.`,
    );
  if (durationMs !== undefined) lines.push(`Fetching the files takes about ${minutes(durationMs)}.`);
  if (ending > 0)
    lines.push(
      `The signatures of ${files(ending)} end between ${utc(first)} and ${utc(last)}: fetch them before that.`,
    );
  if (expired > 0)
    lines.push(
      `The signatures of ${files(expired)} have expired: export again and fetch the files right away.`,
    );
  return lines;
}

/** By the export, by those that were asked, or as the files of the other hosts. */
function bytesOf({ count, bytes, sized, answers }: Host, usual: number | undefined): number | undefined {
  const asked = [...(answers?.sizes.values() ?? [])];
  const each =
    sized > 0 ? bytes / sized : asked.length > 0 ? asked.reduce((a, b) => a + b) / asked.length : usual;
  return each === undefined ? undefined : bytes + each * (count - sized);
}

/** So many at a time, each as those that were asked, and what they are larger than that at the same rate. */
function timeOf({ count, answers }: Host, bytes = 0): number | undefined {
  if (answers === undefined || answers.good === 0) return undefined;
  return Math.max(
    (count * answers.msEach) / FILES_PER_HOST,
    bytes / Math.max(1, answers.bytesPerMs) / FILES_PER_HOST,
  );
}

function answersOf({ asked, good, others }: FilesForecast['hosts'][number]): string {
  if (asked === 0) return 'None was asked for.';
  const parts = [
    ...(good > 0 ? [`${good} can be fetched`] : []),
    ...Object.entries(others).map(([kind, many]) => `${many} ${kind}`),
  ];
  return `Of ${asked} that were asked for, ${parts.join(', ')}.`;
}

const utc = (at: string) => `${at.slice(0, 19)}Z`;
const files = (many: number) => `${many} ${many === 1 ? 'file' : 'files'}`;
const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)} MB`;
const minutes = (ms: number) =>
  ms < 90_000 ? `${Math.ceil(ms / 1000)} s` : `${Math.round(ms / 60_000).toLocaleString('en')} min`;
