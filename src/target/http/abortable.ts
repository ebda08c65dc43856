/** Waits for shared work, or until this caller has had enough; the work goes on for the others. Leaves no listener. */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  // Work that nobody waits for any more may still fail; that is not an unhandled error.
  work.catch(() => {});
  if (signal.aborted) return Promise.reject(signal.reason);
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    const done = () => signal.removeEventListener('abort', onAbort);
    work.then(
      (value) => {
        done();
        resolve(value);
      },
      (error: unknown) => {
        done();
        reject(error);
      },
    );
  });
}
