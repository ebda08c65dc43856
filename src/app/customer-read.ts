/** One question to the app API: opened, asked, closed. What commands that read have in common. */
import type { AppApi } from '../app-api/client.ts';
import { asAppError } from '../app-api/failures.ts';
import { ApiFailure } from '../domain/ticket-api.ts';
import type { Settings } from '../settings/settings.ts';
import { type AppPorts, connectApp, openAppTarget } from './usage-target.ts';

/** Throws AppError `configuration`, `auth` or `unreachable`, or the signal's reason. */
export async function askAppApi<T>(
  settings: Settings,
  ports: AppPorts,
  ask: (api: AppApi) => Promise<T>,
): Promise<T> {
  const target = await openAppTarget(settings, ports.clock);
  try {
    const { api } = connectApp(target, settings, ports);
    try {
      return await ask(api);
    } catch (error) {
      throw error instanceof ApiFailure ? asAppError(error) : error;
    } finally {
      await api.close();
    }
  } finally {
    await target.sandbox?.close();
  }
}
