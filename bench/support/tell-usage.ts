/** Preloaded into a measured process: tells its parent at the end what it used. */
if (process.send !== undefined) {
  process.on('exit', () => {
    const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
    process.send?.({ cpuMs: (userCPUTime + systemCPUTime) / 1000, peakBytes: maxRSS * 1024 });
  });
  process.channel?.unref();
}
