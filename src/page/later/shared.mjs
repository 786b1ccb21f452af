/**
 * Builds the page in two scripts that share their modules: the first one, and the one of the views that come later. The second takes
 * what both need from the first, which keeps it in a global; nothing is in both, so that there is one clock, one token and one history.
 */
import { build } from 'esbuild'

const NAME = 'troupeShared'

// D1295: the page is two scripts that share their modules
/**
 * @param options of esbuild, for both
 * @param entries paths of the first module of each
 * @param named told the text of the second; returns what is defined in the first, such as the name of its file
 * @param took told the paths of all modules
 * @returns the text of the first
 */
export async function twoScripts(options, { first, second }, named, took) {
  const all = { ...options, bundle: true, write: false, format: 'iife' }
  const { metafile } = await build({ ...all, entryPoints: [first], metafile: true, absWorkingDir: '/' })
  // Inputs are sorted: the order in which they are asked for differs from build to build.
  const inFirst = Object.keys(metafile.inputs)
    .map((path) => `/${path}`)
    .sort()
  const used = new Set()
  const takes = {
    name: 'takes what the first script has',
    setup(plugin) {
      plugin.onResolve({ filter: /.*/ }, async ({ path, resolveDir, pluginData, kind }) => {
        if (pluginData === NAME || kind === 'entry-point') return undefined
        const found = await plugin.resolve(path, { resolveDir, kind, pluginData: NAME })
        const number = inFirst.indexOf(found.path)
        if (found.errors.length > 0 || number < 0) return found
        used.add(number)
        return { path: String(number), namespace: NAME }
      })
      plugin.onLoad({ filter: /.*/, namespace: NAME }, ({ path }) => ({
        contents: `module.exports = globalThis.${NAME}[${path}]`,
        loader: 'js'
      }))
    }
  }
  const later = await build({ ...all, entryPoints: [second], plugins: [takes], metafile: true, absWorkingDir: '/' })
  took([metafile, later.metafile].flatMap(({ inputs }) => Object.keys(inputs)).map((path) => `/${path}`))
  const define = { ...options.define, ...(await named(later.outputFiles[0].contents)) }
  const numbers = [...used].sort((one, other) => one - other)
  const lines = numbers.map((number) => `import * as m${number} from ${JSON.stringify(inFirst[number])}`)
  const members = numbers.map((number) => `${number}: m${number}`)
  const gives = `${lines.join('\n')}\nglobalThis.${NAME} = {${members.join(', ')}}\nimport ${JSON.stringify(first)}`
  const { outputFiles } = await build({
    ...all,
    define,
    stdin: { contents: gives, resolveDir: '/', loader: 'js' }
  })
  return outputFiles[0].contents
}
