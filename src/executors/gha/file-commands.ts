/** Parses the command files of a process of an action. Source: execution-semantics 10.9.4. */
import { text } from 'node:stream/consumers'
import type Docker from 'dockerode'
import { readTar } from '../archive/tar.ts'
import { readable } from '../docker/connection.ts'
import { COMMANDS } from './places.ts'

export interface FileCommands {
  output: [string, string][]
  env: [string, string][]
  state: [string, string][]
  /** Folders to put in front of PATH. */
  path: string[]
}

/** Greatest size of all command files of one process, bytes. */
const LIMIT = 8 * 1_024 * 1_024

/** @throws Error for a malformed or oversized file */
export async function readFileCommands(container: Docker.Container): Promise<FileCommands> {
  const files = new Map<string, string>()
  let size = 0
  const archive = readable(await container.getArchive({ path: COMMANDS }))
  await readTar(archive, async (entry) => {
    size += entry.size
    if (size > LIMIT) throw new Error(`the command files of the action are larger than ${LIMIT} bytes together`)
    if (entry.kind === 'file') files.set(entry.path.split('/').at(-1) ?? '', await text(entry.content()))
  })
  const pairs = (name: string) => pairsIn(files.get(name) ?? '', name)
  return {
    output: pairs('output'),
    env: pairs('env'),
    state: pairs('state'),
    path: (files.get('path') ?? '').split('\n').filter((line) => line.trim() !== '')
  }
}

/**
 * `name=value`, or `name<<mark`, lines, `mark`.
 * @throws Error without any value
 */
export function pairsIn(content: string, file: string): [string, string][] {
  const pairs: [string, string][] = []
  const lines = content.split(/\r?\n/)
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? ''
    if (line === '') continue
    const [equals, marked] = [line.indexOf('='), line.indexOf('<<')]
    if (equals >= 0 && (marked < 0 || equals < marked)) {
      pairs.push([line.slice(0, equals), line.slice(equals + 1)])
      continue
    }
    if (marked < 0) throw new Error(`the command file ${file}, line ${at + 1}: wanted name=value or name<<mark`)
    const [name, mark] = [line.slice(0, marked), line.slice(marked + 2)]
    const end = lines.indexOf(mark, at + 1)
    if (end < 0) throw new Error(`the command file ${file}, line ${at + 1}: the closing mark of ${name} is missing`)
    pairs.push([name, lines.slice(at + 1, end).join('\n')])
    at = end
  }
  return pairs
}
