/**
 * The files of the program. What esbuild splits off are some 350 parts, each of which would be a file to read and to check; so they are
 * put into a few, by which commands need them. `program-parts.ts` loads these.
 */

// D1703: a command reads the part of the program that it needs
/**
 * Each file, and the modules that it begins with: what they import is with them, or in a file before. What a later file
 * begins with is not: it is evaluated when something of it is first used, however it was imported.
 */
const PACKS = {
  'main.cjs': [
    'dist/src/cli/main.js',
    'dist/src/cli/commands/version.js',
    'dist/src/cli/input/help.js',
    'dist/src/nearest.js'
  ],
  'reading.cjs': [
    'dist/src/cli/context.js',
    'dist/src/cli/commands/status.js',
    'dist/src/cli/commands/logs.js',
    'dist/src/cli/commands/queues.js',
    'dist/src/cli/commands/overview/runs.js',
    'dist/src/cli/commands/waits/waiting.js',
    'dist/src/cli/owner/client-here.js',
    'dist/src/host/create-engine.js',
    'dist/src/client/index.js',
    'dist/src/client/request.js',
    'dist/src/api/contract/owner-operations.js',
    'dist/src/api/owner/in-process.js',
    'dist/src/api/all-routes.js'
  ],
  'definitions.cjs': [
    'dist/src/cli/commands/overview/list.js',
    'dist/src/definition/read.js',
    'dist/src/definition/fields/fields-dag.js',
    'yaml/dist/index.js',
    're2js/build/index.js',
    'croner/dist/croner.js'
  ],
  'running.cjs': [
    'dist/machines/engine.js',
    'dist/machines/worker.js',
    'dist/machines/delivery.js',
    'dist/machines/with-event.js'
  ]
}

/** What Node itself loads late, and few commands need. */
const LATE_OF_NODE = ['child_process', 'fs/promises', 'http', 'https', 'net', 'tls', 'worker_threads']

/** Name of each file, and the names of the parts in it. @param outputs as esbuild tells them */
export function packsOf(outputs) {
  const begun = Object.entries(PACKS).map(([pack, modules]) => [pack, modules.map((module) => partOf(module, outputs))])
  const left = new Set(Object.keys(outputs))
  return begun.map(([pack, parts], at) => {
    const later = new Set(begun.slice(at + 1).flatMap(([, parts]) => parts))
    const taken = []
    const take = (path) => {
      if (later.has(path) || !left.delete(path)) return
      taken.push(nameOf(path))
      for (const { path: next, kind } of outputs[path].imports) if (kind === 'import-statement') take(next)
    }
    for (const path of at < begun.length - 1 ? parts : [...left]) take(path)
    return [pack, taken]
  })
}

const nameOf = (path) => path.split('/').at(-1).replace(/\.js$/, '.cjs')

/** The part that stands for a module when it is loaded late, or the one that it is in. */
function partOf(module, outputs) {
  const isIt = (path) => `/${path}`.endsWith(`/${module}`)
  const all = Object.entries(outputs)
  const found =
    all.find(([, { entryPoint }]) => entryPoint && isIt(entryPoint)) ??
    all.find(([, { inputs }]) => Object.keys(inputs).some(isIt))
  if (!found) throw new Error(`PACKS: there is no module ${module}`)
  return found[0]
}

/**
 * A part as a member of the object that its file exports.
 * @param code in CommonJS
 * @param isLater whether another part is in a later file
 */
export function asMember(name, code, isLater) {
  const late = []
  const named = code.replace(/^var (import_\w+) = require\("(?:\.\/|node:)([^"]+)"\);$/gm, (all, variable, id) => {
    if (!(all.includes('node:') ? LATE_OF_NODE.includes(id) : isLater(id))) return all
    late.push(variable)
    return all.replace('= ', '= () => ')
  })
  const used = late.reduce((code, variable) => usedLate(name, code, variable), named)
  return `${JSON.stringify(name)}: function (exports, require, module) {\n${withPlainExports(name, used)}}`
}

/** Each use of what a variable stands for asks for it. */
function usedLate(name, code, variable) {
  const used = code.replaceAll(new RegExp(`\\b${variable}\\.`, 'g'), `(${variable}()).`)
  if (new RegExp(`\\b${variable}\\b(?! = \\(\\) =>|\\(\\)\\)\\.)`).test(used))
    throw new Error(`${name}: wanted members of ${variable}, found another use`)
  return used
}

const EXPORTS =
  /^([\s\S]*?)var stdin_exports = \{\};\n__export\(stdin_exports, \{\n([\s\S]*?)\n\}\);\nmodule\.exports = __toCommonJS\(stdin_exports\);\n/

/** Exports as an object of values: esbuild makes getters, thousands of them, of which each start would make two, and each use calls one. */
function withPlainExports(name, code) {
  if (!EXPORTS.test(code)) return code
  if (/\b__esm\(/.test(code))
    throw new Error(`${name}: wanted exports that do not change, found a module that is required`)
  const [all, helpers, getters] = EXPORTS.exec(code)
  const body = code.slice(all.length)
  const values = getters.replaceAll(': () => ', ': ')
  return `${/\b__toESM\d*\(/.test(body) ? helpers : ''}${body}module.exports = {\n${values}\n};\n`
}
