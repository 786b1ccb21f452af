/** The definition that a command checks without a run: a file of this machine, or one of a server elsewhere. */
import { relative } from 'node:path'
import type { Config } from '../../config.ts'
import type { RunOutline } from '../../definition/dag/outline.ts'
import type { Problem } from '../../definition/definition.ts'
import type { CliContext, Remote } from '../context.ts'
import { locateAsOwner } from './open-client.ts'

export interface Checked {
  /** DAG name. */
  name: string
  problems: Problem[]
  warnings: string[]
}

export interface AskedDefinition {
  /** Absolute path; of a server elsewhere, its address and the name there. */
  file: string
  /** As sentences name it. */
  shown: string
  /** As the lines of its problems name it. */
  short: string
  check(): Promise<Checked>
  /** What a run would do; absent: it has problems. @param name DAG name of the run @throws TroupeError bad_request: the params */
  outline(params: string, name: string | undefined): Promise<Checked & { outline?: RunOutline }>
}

/** @throws TroupeError not_found */
export const askedDefinition = async (
  operand: string,
  context: CliContext,
  config: Config
): Promise<AskedDefinition> =>
  context.remote
    ? definitionThere(operand, context.remote)
    : definitionHere(await locateAsOwner(operand, context, config), context, config)

/** Relative when the file is below the working directory. */
export function shortPath(file: string, cwd: string): string {
  const path = relative(cwd, file)
  return path.startsWith('..') ? file : path
}

async function definitionHere(file: string, { clock, cwd }: CliContext, config: Config): Promise<AskedDefinition> {
  const { openDefinitions, withDoubts } = await import('../../definitions/definitions.ts')
  const definitions = openDefinitions(config.dagsDir, config.baseConfig, clock, undefined, config.allowedTypes)
  const shown = shortPath(file, cwd)
  return {
    file,
    shown,
    short: shown,
    check: async () => withDoubts(await definitions.checkFile(file), config.environment),
    async outline(params, name) {
      const { definition } = await definitions.readFile(file, name ? { name } : {})
      const { plan, problems, warnings } = definition
      const checked = { name: definition.name, problems, warnings }
      if (!plan) return checked
      const { outlineOf } = await import('../../definition/dag/outline.ts')
      return { ...checked, outline: outlineOf(plan, params) }
    }
  }
}

/** @throws TroupeError not_found, and what the server refuses */
async function definitionThere(operand: string, remote: Remote): Promise<AskedDefinition> {
  const { apiOf, fileNameOf } = await import('../remote/api.ts')
  const api = apiOf(remote)
  const fileName = fileNameOf(operand)
  const path = { fileName }
  async function check(): Promise<Checked> {
    const [{ dag, errors }, { errors: all }] = await Promise.all([api.getDag({ path }), api.getDagSpec({ path })])
    return { name: dag.name, problems: errors.map(problemOf), warnings: all.slice(errors.length) }
  }
  return {
    file: `${remote.url}/${fileName}`,
    shown: `${fileName} on ${remote.url}`,
    short: fileName,
    check,
    async outline(params, name) {
      const checked = await check()
      if (checked.problems.length > 0) return { ...checked, name: name ?? checked.name }
      const query = { ...(params ? { params } : {}), ...(name ? { name } : {}) }
      return { ...checked, name: name ?? checked.name, outline: await api.getDagOutline({ path, query }) }
    }
  }
}

/** From the sentence in which the API has it. */
function problemOf(text: string): Problem {
  const [, message = text, line, column] = /^(.*) \(line (\d+)(?:, column (\d+))?\)$/s.exec(text) ?? []
  const place = { ...(line ? { line: Number(line) } : {}), ...(column ? { column: Number(column) } : {}) }
  return { path: '', message, ...place }
}
