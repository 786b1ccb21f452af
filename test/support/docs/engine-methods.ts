/** docs/embedding/engine.md: a table of every member of an engine, made of the doc comments of its types. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PROJECT } from '../project.ts'

const TABLES = [
  { title: 'With definitions in code', type: 'TypedRuns', file: 'src/builder/run-types.ts', before: 'engine.' },
  { title: 'A run of a definition in code', type: 'Run', file: 'src/builder/run-types.ts', before: 'run.' },
  {
    title: 'An engine of another process',
    type: 'ConnectedEngine',
    file: 'src/builder/run-types.ts',
    before: 'client.'
  },
  { title: 'Every engine', type: 'Engine', file: 'src/engine/engine.ts', before: 'engine.' },
  { title: 'Facts', type: 'Facts', file: 'src/inspect/inspection.ts', before: 'engine.facts.' },
  { title: 'With troupe/testing', type: 'TestEngine', file: 'src/testing/test-engine.ts', before: 'engine.' }
] as const

interface Member {
  /** As it is called: `stop(key, options?)`. */
  call: string
  /** What its comment says, tags included; empty: it has none. */
  comment: string
}

/** The members of an interface, in its order; an overload is one of its own. */
export function membersOf(source: string, type: string): Member[] {
  const body = new RegExp(`^export interface ${type}\\b[^\\n]*\\{\\n(.*?)^\\}`, 'ms').exec(source)?.[1] ?? ''
  const found = body.matchAll(
    /(?:^ {2}\/\*\*((?:(?!\*\/).)*)\*\/\n)?(?:^ {2}\/\/[^\n]*\n)*^ {2}(?:readonly )?(\w+\??)(.*?)(?=\n {2}[^\s)}]|\n*$(?![\s\S]))/gms
  )
  return Array.from(found, ([, comment = '', name = '', rest = '']) => ({
    call: `${name}${argumentsIn(rest)}`,
    comment: comment
      .replaceAll(/\n\s*\*/g, ' ')
      .replaceAll(/\s+/g, ' ')
      .trim()
  }))
}

/** The names in a list of parameters; empty for a property. */
function argumentsIn(signature: string): string {
  const text = signature.replace(/^<.*?>(?=\()/s, '')
  if (!text.startsWith('(')) return ''
  const names: string[] = []
  let depth = 0
  let start = 1
  for (let at = 0; at < text.length; at++) {
    const one = text[at] ?? ''
    if ('([{<'.includes(one)) depth++
    else if (one === '>' && text[at - 1] === '=') continue
    else if (')]}>'.includes(one)) depth--
    if ((one === ',' && depth === 1) || depth === 0) {
      const name = /^\s*(\w+\??)\s*:/.exec(text.slice(start, at))?.[1]
      if (name !== undefined) names.push(name)
      start = at + 1
    }
    if (depth === 0) break
  }
  return `(${names.join(', ')})`
}

/** The first sentence. */
export function lineOf(comment: string): string {
  const [text = ''] = comment.split(/ ?@(?:throws|param|returns|see)\b/)
  const [sentence = ''] = /^.*?\.(?= [A-Z`]|$)|^.*$/.exec(text.trim()) ?? []
  return sentence.replace(/\.$/, '').replaceAll('|', '\\|')
}

export function methodTables(): { members: (Member & { of: string })[]; text: string } {
  const members: (Member & { of: string })[] = []
  const tables = TABLES.map(({ title, type, file, before }) => {
    const found = membersOf(readFileSync(join(PROJECT, file), 'utf8'), type)
    for (const member of found) members.push({ ...member, of: type })
    const rows = found.map(({ call, comment }) => `| \`${before}${call}\` | ${lineOf(comment)} |\n`)
    return `## ${title}\n\n| Call | What it does |\n| --- | --- |\n${rows.join('')}`
  })
  return { members, text: tables.join('\n') }
}
