/** `--serve`: the service stays open when the import is over, so that it can be looked at, until Ctrl-C. */

import { lookAtCommand, type RunScreen } from '../commands/run/run-screen.ts';
import { asTyped } from '../present/terminal/command-line.ts';
import type { CliContext } from './context.ts';

/** Resolves when `stop` is aborted. */
export async function keepServing(
  service: { readonly url: string; readonly dir: string },
  screen: RunScreen,
  { env }: CliContext,
  stop: AbortSignal,
): Promise<void> {
  screen.say('');
  screen.say(`Look at your tickets in a browser: ${service.url}/`);
  screen.say('Ctrl-C ends the service; what it holds stays.');
  await new Promise<void>((done) => {
    if (stop.aborted) done();
    else stop.addEventListener('abort', () => done(), { once: true });
  });
  screen.say(asTyped(`The service has ended. To look again: ${lookAtCommand(service.dir)}`, env));
}
