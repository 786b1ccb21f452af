/** Records of executions of a home, as they lie beside the logs. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export function stateFiles(home: string): string[] {
  const logs = join(home, 'logs')
  if (!existsSync(logs)) return []
  return readdirSync(logs, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.state'))
    .map((name) => join(logs, name))
}

/** The end of a process is a second line. */
export const hasEnd = (path: string): boolean => readFileSync(path, 'utf8').trimEnd().includes('\n')
