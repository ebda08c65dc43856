/** For `node --import`: writes the address of every module that the process has loaded, a line each, into LOADED_MODULES. */
import { writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

const loaded: string[] = [];

registerHooks({
  load: (url, context, nextLoad) => {
    loaded.push(url);
    return nextLoad(url, context);
  },
});

process.on('exit', () => writeFileSync(process.env['LOADED_MODULES'] ?? '', loaded.join('\n')));
