/**
 * What packages are told otherwise in the bundle. The package that is installed is never touched. A patch stays as long as it is needed:
 * the store could not be opened without it, or it buys at least a tenth of something that a user sees (`buys`). The build ends when one
 * is not found in its package any more, and `test/cli/program/bundle-patches.test.ts` asks whether each is still needed.
 */

/** Of lmdb's own dependencies, which no other package may see. */
const seenFrom = (place, name) => `require('node:module').createRequire(${place}).resolve('${name}')`
const EXTRACT = seenFrom(seenFrom('require.resolve("lmdb")', 'msgpackr'), 'msgpackr-extract')

/** Koa asks for these by the name of a file; all other media types are written out. */
const MEDIA_TYPES = ['application/json', 'application/octet-stream', 'text/html', 'text/plain']

// D956, D959: a start loads only what the first answer needs
/** `file`: where it is; `rewrite`: what becomes of it, the same text when there was nothing to change. */
export const PATCHES = [
  {
    name: 'lmdb',
    file: /lmdb\/dist\/index\.cjs$/,
    buys: 'the store: its native part is looked for beside the file itself',
    rewrite: (text) => text.replaceAll('__filename', 'require.resolve("lmdb")')
  },
  {
    name: 'msgpackr-extract',
    file: /msgpackr-extract\/index\.js$/,
    buys: 'the store: its native part is looked for beside the file itself',
    rewrite: (text) => text.replaceAll('__dirname', `require('node:path').dirname(${EXTRACT})`)
  },
  {
    name: 'koa',
    file: /koa\/lib\/(response|application)\.js$/,
    // Node loads its HTTP client and its web streams when it is asked for these words; nothing here answers with one of them.
    buys: '19 % of what a server takes to its first answer and its end: 329 -> 265 ms of processor time',
    rewrite: (text) => text.replaceAll(/\w+ instanceof (Response|ReadableStream|Blob)/g, 'false')
  },
  {
    name: 'mime-db',
    file: /mime-db\/db\.json$/,
    buys: '10 % of what a server takes to its first answer and its end: 365 -> 327 ms of processor time',
    rewrite(text) {
      const types = JSON.parse(text)
      return JSON.stringify(Object.fromEntries(MEDIA_TYPES.map((type) => [type, types[type]])))
    }
  }
]

/** @throws Error when there is nothing to patch: the package has become another one */
export function patched({ name, rewrite }, path, text) {
  const contents = rewrite(text)
  if (contents === text) throw new Error(`${path}: the patch ${name} finds nothing to change`)
  return contents
}
