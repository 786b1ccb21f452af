/** Actions of 2.x on files, repositories and templates: scripts. */
import { Scalar } from 'yaml'
import { entryOf, mapIn, nameOf, put, type Translate, textIn, type YamlMap } from './pen.ts'
import { quoted, quotedPath, type Settings, settingsIn } from './quoted.ts'

/** @param known settings that the script respects @param isSilent whether it prints nothing, where Dagu prints what it did as JSON */
const scripted =
  (
    known: readonly string[],
    isSilent: boolean,
    linesOf: (settings: Settings, map: YamlMap | undefined) => string[] | undefined
  ): Translate =>
  (pen, step, map, entry) => {
    const settings = settingsIn(map)
    const lines = linesOf(settings, map)
    if (!lines || settings.hasOthers(...known) || (isSilent && entryOf(step, 'output'))) return false
    const script = new Scalar(['set -e', ...lines, ''].join('\n'))
    script.type = 'BLOCK_LITERAL'
    put(pen, step, 'script', script, entry)
    return true
  }

const parent = ({ is }: Settings, path: string): string[] =>
  is('create_dirs') ? [`mkdir -p "$(dirname ${quotedPath(path)})"`] : []

const refused = ({ is }: Settings, path: string): string[] => [
  `if [ -${is('overwrite') ? 'd' : 'e'} ${quotedPath(path)} ]; then echo ${quoted(`${path} is there already`)} >&2; exit 1; fi`
]

const moved = (command: string, isRecursive: (settings: Settings) => string): Translate =>
  scripted(['source', 'destination', 'create_dirs', 'overwrite', 'recursive'], true, (settings) => {
    const [from, to] = ['source', 'destination'].map(settings.text)
    if (from === undefined || to === undefined) return undefined
    return [
      ...parent(settings, to),
      ...refused(settings, to),
      `${command}${isRecursive(settings)} -- ${quotedPath(from)} ${quotedPath(to)}`
    ]
  })

const checkout = scripted(['repository', 'path', 'ref', 'depth', 'force'], true, ({ text, is }) => {
  const [repository, path] = ['repository', 'path'].map(text)
  if (repository === undefined || path === undefined) return undefined
  const depth = Number(text('depth') ?? 0) > 0 ? ` --depth ${text('depth')}` : ''
  const at = quotedPath(path)
  const ref = text('ref')
  return [
    `if [ ! -e ${at}/.git ]; then git clone --no-checkout${depth} -- ${quoted(repository)} ${at}; fi`,
    `git -C ${at} fetch --tags${depth} origin ${ref === undefined ? 'HEAD' : quoted(ref)}`,
    `git -C ${at} checkout${is('force') ? ' --force' : ''} --detach FETCH_HEAD`
  ]
})

/** A template whose only expressions are members of its data, such as `{{ .name }}`. */
const render = scripted(['template', 'data', 'output'], false, ({ text }, map) => {
  const template = text('template')
  const data = map && mapIn(entryOf(map, 'data'))
  if (template === undefined || /[$`]/.test(template)) return undefined
  const parts = template.split(/\{\{ *\.(\w+) *\}\}/)
  const words = parts.map((part, index) => {
    if (index % 2 === 0) return part.includes('{{') ? undefined : `'${part.replaceAll("'", "'\\''")}'`
    const value = data && textIn(data.items.find((entry) => nameOf(entry) === part))
    return value === undefined ? undefined : quoted(value)
  })
  if (words.includes(undefined)) return undefined
  const output = text('output')
  const printed = `printf %s ${words.join('')}`
  if (output === undefined) return [printed]
  return [`mkdir -p "$(dirname ${quotedPath(output)})"`, `${printed} > ${quotedPath(output)}`]
})

// D1695: file actions and checkouts are scripts, unless something reads what they say of themselves
export const FILES: Record<string, Translate> = {
  'file.read': scripted(['path', 'format'], false, ({ text }) => {
    const path = text('path')
    return path === undefined || (text('format') ?? 'raw') !== 'raw' ? undefined : [`cat -- ${quotedPath(path)}`]
  }),
  'file.write': scripted(['path', 'content', 'create_dirs', 'overwrite', 'atomic', 'mode'], true, (settings) => {
    const path = settings.text('path')
    if (path === undefined) return undefined
    const mode = settings.text('mode')
    return [
      ...parent(settings, path),
      ...refused(settings, path),
      'umask 077',
      `printf %s ${quoted(settings.text('content') ?? '')} > ${quotedPath(path)}`,
      ...(mode === undefined ? [] : [`chmod ${mode} ${quotedPath(path)}`])
    ]
  }),
  'file.copy': moved('cp', ({ is }) => (is('recursive') ? ' -RP' : ' -P')),
  'file.move': moved('mv', () => ''),
  'file.delete': scripted(['path', 'recursive', 'missing_ok'], true, ({ text, is }) => {
    const path = text('path')
    const flags = `${is('recursive') ? 'r' : ''}${is('missing_ok') ? 'f' : ''}`
    return path === undefined ? undefined : [`rm${flags ? ` -${flags}` : ''} -- ${quotedPath(path)}`]
  }),
  'file.mkdir': scripted(['path', 'mode'], true, ({ text }) => {
    const path = text('path')
    return path === undefined ? undefined : [`mkdir -p -m ${text('mode') ?? '0750'} -- ${quotedPath(path)}`]
  }),
  'git.checkout': checkout,
  'template.render': render
}
