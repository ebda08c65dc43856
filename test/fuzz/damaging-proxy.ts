/** A proxy that damages a helpdesk's answers byte by byte; the request has had its effect. */
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { type Edit, edited } from './case.ts';

export interface AnswerDamage {
  /** Which answer, from 0, in the order in which they come. */
  readonly answer: number;
  readonly edits: readonly Edit[];
  /** What happens to the connection behind it. */
  readonly after: 'go on' | 'end' | 'reset' | 'silence';
}

export async function startDamagingProxy(target: string, damages: readonly AnswerDamage[]) {
  const port = Number(new URL(target).port);
  const sockets = new Set<Socket>();
  let answers = 0;
  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1');
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    }
    client.on('data', (bytes) => upstream.write(bytes)).on('close', () => upstream.destroy());
    upstream.on('close', () => client.end());
    upstream.on('data', (bytes: Buffer) => {
      const damage = damages.find(({ answer }) => answer === answers);
      answers += 1;
      if (damage === undefined) return void client.write(bytes);
      if (damage.after === 'silence') return;
      client.write(edited(bytes, damage.edits));
      if (damage.after === 'end') client.end();
      if (damage.after === 'reset') client.resetAndDestroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
