import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { WaitQueue } from '../../../src/target/pace/admission.ts';

describe('the line', () => {
  it('serves in order, without those who left', async () => {
    const line = new WaitQueue();
    const gone = new AbortController();
    const { signal } = new AbortController();
    const served: string[] = [];
    const enter = (name: string, own = signal) =>
      line.enter(own).then(
        () => served.push(name),
        () => {},
      );
    const all = [enter('a'), enter('b', gone.signal), enter('c')];
    gone.abort();
    expect([line.next(), line.next(), line.next()]).toEqual([true, true, false]);
    await Promise.all(all);
    expect(served).toEqual(['a', 'c']);
  });

  it('tells when the last one has left, and leaves no listener', async () => {
    let empty = 0;
    const line = new WaitQueue(() => empty++);
    const controller = new AbortController();
    const waits = [line.enter(controller.signal), line.enter(controller.signal)];
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(2);
    controller.abort(new Error('home'));
    for (const wait of waits) await expect(wait).rejects.toThrow('home');
    expect([empty, line.length, getEventListeners(controller.signal, 'abort').length]).toEqual([1, 0, 0]);
    await expect(line.enter(controller.signal)).rejects.toThrow('home');
  });

  it('can send everybody on or away', async () => {
    const line = new WaitQueue();
    const { signal } = new AbortController();
    const on = [line.enter(signal), line.enter(signal)];
    line.all();
    await Promise.all(on);
    const away = line.enter(signal);
    line.failAll(new Error('closed'));
    await expect(away).rejects.toThrow('closed');
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });
});
