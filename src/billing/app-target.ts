import { AppError } from '../domain/errors.ts';
import { Secret } from '../domain/secret.ts';
import type { Options } from '../import/options.ts';
import { openSandbox, type ProcessPorts } from '../import/target.ts';
import { type AppApi, createAppApi } from '../target/app-api.ts';

export interface OpenApp {
  readonly baseUrl: string;
  readonly api: AppApi;
}

/** Throws AppError `configuration`. */
export async function withAppApi<T>(
  { helpdesk, appApi, pace }: Pick<Options, 'helpdesk' | 'appApi' | 'pace'>,
  ports: ProcessPorts,
  work: (app: OpenApp) => Promise<T>,
): Promise<T> {
  const { sandbox: dir } = helpdesk;
  await using service = dir === undefined ? undefined : await openSandbox(dir, helpdesk);
  const sandbox = service?.sandbox;
  const baseUrl = sandbox?.url ?? appApi?.baseUrl;
  const keys = sandbox ? { appId: sandbox.app.id, apiKey: new Secret(sandbox.app.key, true) } : appApi?.keys;
  if (appApi === undefined || baseUrl === undefined || keys === undefined)
    throw new AppError('configuration', 'No app API is configured.', {
      hint: 'Set HELPDESK_APP_URL, HELPDESK_APP_ID and HELPDESK_APP_KEY; or try it out with --sandbox.',
    });
  const userAgent = `helpdesk-import/${ports.version}`;
  await using api = createAppApi({ ...appApi, ...keys, ...pace, ...ports, baseUrl, userAgent });
  return await work({ baseUrl, api });
}
