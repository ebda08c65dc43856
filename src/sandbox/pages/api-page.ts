/** The calls of both APIs, for people: what `GET /openapi.json` says for programs. */
import type { Context } from 'hono';
import { html } from 'hono/html';
import type { OpenApiDocument, Operation } from '../core/openapi.ts';
import { CORE_PREFIXES } from '../core/request-kind.ts';
import type { SandboxEnv } from '../core/sandbox-env.ts';
import { answerPage, type Markup } from './page-shell.ts';

export function apiPage(c: Context<SandboxEnv>, document: OpenApiDocument): Promise<Response> {
  const calls = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const content = html`<div class="head"><h1>API</h1><a class="button" href="/openapi.json">openapi.json</a>
<span class="soft">Calls without a prefix are below <code>${CORE_PREFIXES[0]}</code>. Whatever is not listed here is refused with the name of the field or parameter.</span></div>
<div class="card"><table class="people calls">
<thead><tr><th scope="col">Call</th><th scope="col">What it does</th><th scope="col" class="wide">Parameters and fields</th></tr></thead>
<tbody>${calls.map(
    ({ path, method, operation }) =>
      html`<tr><th scope="row"><code>${method.toUpperCase()} ${breakable(path.replace(CORE_PREFIXES[0], ''))}</code></th><td>${operation.summary}</td><td class="wide soft">${takes(operation, document)}</td></tr>`,
  )}</tbody></table></div>`;
  return answerPage(c, { title: 'API', section: 'api', content });
}

/** May be broken before each of its parts. */
function breakable(path: string): Markup[] {
  return path.split('/').map((part, at) => html`${at > 0 ? html`<wbr>/` : ''}${part}`);
}

function takes({ parameters, requestBody }: Operation, { components }: OpenApiDocument): Markup {
  const schema = requestBody?.content['application/json'].schema ?? {};
  const name =
    String(schema['$ref'] ?? '')
      .split('/')
      .at(-1) ?? '';
  const body = (components['schemas']?.[name] ?? schema) as Schema;
  const fields = Object.keys((body.items ?? body).properties ?? {});
  const names = [...parameters.filter((each) => each.in === 'query').map((each) => each.name), ...fields];
  return html`${body.items === undefined ? '' : 'a list of '}${names.join(', ')}`;
}

interface Schema {
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly items?: Schema;
}
