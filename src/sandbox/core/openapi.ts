/** The OpenAPI document of the service: made from the table of calls, so that it says what is checked. */
import { z } from 'zod';
import { APP_PREFIX, CORE_PREFIXES, TOKEN_PATH } from './request-kind.ts';
import { type Route, scopeOf } from './route.ts';

type Json = Record<string, unknown>;

/** Of one call, as the document has it. */
export interface Operation {
  readonly summary: string;
  readonly parameters: readonly { name: string; in: 'path' | 'query'; schema: Json; description?: string }[];
  readonly requestBody?: { required: true; content: Record<'application/json', { schema: Json }> };
  readonly [more: string]: unknown;
}

export interface OpenApiDocument {
  readonly openapi: '3.1.0';
  readonly info: Json;
  readonly servers: readonly { url: string }[];
  readonly paths: Readonly<Record<string, Record<string, Operation>>>;
  readonly components: Readonly<Record<string, Json>>;
}

/** @param origin where the service is: `http://127.0.0.1:4180` */
export function openApiDocument(routes: readonly Route[], origin: string): OpenApiDocument {
  const schemas: Json = {};
  /** A schema, with those that have a name put among the components. */
  const schemaOf = (schema: z.ZodType, io: 'input' | 'output'): Json => {
    const { $defs = {}, $schema: _, ...own } = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Json;
    const linked = (part: unknown) =>
      JSON.parse(JSON.stringify(part).replaceAll('"#/$defs/', '"#/components/schemas/')) as Json;
    for (const [name, named] of Object.entries($defs as Json)) schemas[name] = withoutId(linked(named));
    const { id } = own;
    if (typeof id !== 'string') return linked(own);
    schemas[id] = withoutId(linked(own));
    return { $ref: `#/components/schemas/${id}` };
  };
  const paths: Record<string, Record<string, Operation>> = {};
  for (const route of routes) {
    const { method, path, app = false, status = 200, summary, answer, documented, body } = route;
    const place = `${app ? APP_PREFIX : CORE_PREFIXES[0]}${path}`;
    const sent = documented ?? body;
    paths[place] ??= {};
    paths[place][method.toLowerCase()] = {
      operationId: `${method.toLowerCase()}${path.replaceAll(/[/_]?\{?(\w)(\w*)\}?/g, (_, first, rest) => first.toUpperCase() + rest).replaceAll(/\W/g, '')}`,
      summary,
      tags: [app ? 'App API' : 'Core API'],
      security: app
        ? [
            { appId: [], appKey: [] },
            { appId: [], customerToken: [] },
          ]
        : [{ oauth: [scopeOf(route)] }, { bearer: [] }],
      parameters: [
        ...[...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
          name,
          in: 'path' as const,
          required: true,
          schema: { type: 'string' },
        })),
        ...Object.entries(route.query.shape).map(([name, schema]) => {
          const { description, ...own } = schemaOf(schema as z.ZodType, 'input');
          const about = typeof description === 'string' ? { description } : {};
          return { name, in: 'query' as const, required: false, ...about, schema: own };
        }),
      ],
      ...(sent === undefined
        ? {}
        : {
            requestBody: {
              required: true,
              content: { 'application/json': { schema: schemaOf(sent, 'input') } },
            },
          }),
      responses: {
        [status]: {
          description: 'Done',
          content: { 'application/json': { schema: schemaOf(answer, 'output') } },
        },
        '4XX': { $ref: '#/components/responses/Refused' },
      },
    };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Sandbox helpdesk',
      version: '1',
      description:
        'A local double of the helpdesk service. Whatever is not in this document is refused, and nothing is ignored.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: origin }],
    tags: [{ name: 'Core API' }, { name: 'App API' }],
    paths,
    components: {
      schemas: { ...schemas, Refusal: REFUSAL },
      responses: {
        Refused: {
          description: 'What is wrong, as a sentence',
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Refusal' } } },
        },
      },
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer' },
        oauth: {
          type: 'oauth2',
          flows: {
            clientCredentials: {
              tokenUrl: `${origin}${TOKEN_PATH}`,
              scopes: { 'read:tickets': 'Read', 'write:tickets': 'Create and change' },
            },
          },
        },
        appId: { type: 'apiKey', in: 'header', name: 'X-Mantle-App-Id' },
        appKey: { type: 'apiKey', in: 'header', name: 'X-Mantle-App-Api-Key' },
        customerToken: { type: 'apiKey', in: 'header', name: 'X-Mantle-Customer-Api-Token' },
      },
    },
  } as OpenApiDocument;
}

function withoutId({ id: _, ...schema }: Json): Json {
  return schema;
}

const REFUSAL = {
  type: 'object',
  required: ['error'],
  properties: {
    error: { type: 'string', description: 'A sentence for people' },
    code: { type: 'string', description: 'A word for programs' },
    details: { type: 'string', description: 'Everything that is wrong, a line each' },
    fields: {
      type: 'array',
      items: { type: 'object', properties: { path: { type: 'string' }, message: { type: 'string' } } },
    },
  },
};
