/** What the tests use of the S3 server, which brings no types. */
declare module '@20minutes/s3rver' {
  // biome-ignore lint/style/noDefaultExport: so the package is made
  export default class S3rver {
    constructor(options: {
      port: number;
      address: string;
      silent: boolean;
      directory: string;
      configureBuckets: readonly { name: string; configs: readonly string[] }[];
    });
    run(): Promise<{ port: number }>;
    close(): Promise<void>;
  }
}
