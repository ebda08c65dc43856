/** The app API that commands talk to: the service of the settings, or the embedded sandbox. */
import { AppError } from '../domain/errors.ts';
import { Secret } from '../domain/secret.ts';
import { openSandbox, type ProcessPorts, pacingOf } from '../import/target.ts';
import type { Settings } from '../settings/settings.ts';
import { type AppApi, createAppApi } from '../target/app-api.ts';

export interface OpenApp {
  readonly baseUrl: string;
  readonly api: AppApi;
}

/** Opens the app API, works with it and closes it. Throws AppError `configuration` where the address or the keys are missing. */
export async function withAppApi<T>(
  settings: Settings,
  ports: ProcessPorts,
  work: (app: OpenApp) => Promise<T>,
): Promise<T> {
  const { sandbox: dir, run, appApi } = settings;
  const sandbox = dir === undefined ? undefined : (await openSandbox(dir, settings, ports.clock)).sandbox;
  try {
    const baseUrl = sandbox?.url ?? appApi?.baseUrl;
    const keys = sandbox
      ? { appId: sandbox.app.id, apiKey: new Secret(sandbox.app.key, true) }
      : appApi?.keys;
    if (appApi === undefined || baseUrl === undefined || keys === undefined)
      throw new AppError('configuration', 'No app API is configured.', {
        hint: 'Set HELPDESK_APP_URL, HELPDESK_APP_ID and HELPDESK_APP_KEY; or try it out with --sandbox.',
      });
    const userAgent = `helpdesk-import/${ports.version}`;
    const api = createAppApi({ ...appApi, ...keys, ...pacingOf(run), ...ports, baseUrl, userAgent });
    try {
      return await work({ baseUrl, api });
    } finally {
      await api.close();
    }
  } finally {
    await sandbox?.close();
  }
}
