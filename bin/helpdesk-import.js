#!/usr/bin/env node
// Plain JavaScript that any Node understands: an older Node would crash inside a native module, so say it here.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(
    `helpdesk-import needs Node 22.19 or newer; this is Node ${process.versions.node}. Install a current Node from https://nodejs.org and run the command again.\n`,
  );
  process.exitCode = 2;
} else {
  // What was compiled is kept in the system's temporary folder, where that can be written: the next start is a third quicker.
  import('node:module')
    .then(({ enableCompileCache }) => enableCompileCache())
    .then(() => import('../dist/main.js'))
    .catch((error) => {
      // What goes missing later, while it runs, is told as what it is.
      const isFirst = /bin[\\/]helpdesk-import\.js$|Cannot find package/.test(error.message);
      if (error.code !== 'ERR_MODULE_NOT_FOUND' || !isFirst) throw error;
      process.stderr.write(
        'helpdesk-import is not built, or its packages are not installed. Run "npm ci" without --ignore-scripts in its folder, then the command again.\n',
      );
      process.exitCode = 2;
    });
}
