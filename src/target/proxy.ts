/** The proxy that the environment names: `HTTPS_PROXY`, `HTTP_PROXY`, `NO_PROXY`, in either case. */
import { type Agent, EnvHttpProxyAgent } from 'undici';
import { AppError } from '../domain/errors.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** A service on this machine is never behind a proxy. */
const LOCAL = 'localhost,127.0.0.1,[::1]';

/** Undefined without a proxy. `connection` also holds for hosts of `NO_PROXY`. Throws AppError `configuration`. */
export function proxyAgent(env: Environment, connection: Agent.Options): EnvHttpProxyAgent | undefined {
  const httpProxy = env['http_proxy'] ?? env['HTTP_PROXY'] ?? '';
  const httpsProxy = env['https_proxy'] ?? env['HTTPS_PROXY'] ?? '';
  if (httpProxy === '' && httpsProxy === '') return undefined;
  for (const [name, value] of [
    [env['http_proxy'] === undefined ? 'HTTP_PROXY' : 'http_proxy', httpProxy],
    [env['https_proxy'] === undefined ? 'HTTPS_PROXY' : 'https_proxy', httpsProxy],
  ] as const)
    if (value !== '' && !/^https?:$/.test(URL.parse(value)?.protocol ?? ''))
      throw new AppError('configuration', `${name} is not the address of a proxy.`, {
        hint: 'Write it like http://proxy.example:3128, or unset it.',
      });
  const noProxy = `${env['no_proxy'] ?? env['NO_PROXY'] ?? ''},${LOCAL}`;
  return new EnvHttpProxyAgent({ ...connection, httpProxy, httpsProxy, noProxy });
}
