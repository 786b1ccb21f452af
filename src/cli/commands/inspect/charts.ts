/** The charts that are inspected: those of this program, which need no engine, or those of a server elsewhere. Source: docs/inspect.md. */
import type { Chart } from '../../../engine/engine.ts'
import { TroupeError } from '../../../errors.ts'
import type { CliContext } from '../../context.ts'

export interface Charts {
  list(): Promise<{ id: string; description: string }[]>
  /** Undefined: there is none. */
  one(id: string): Promise<Chart | undefined>
  /** The config of a machine, as editors of statecharts import it. */
  config(chart: Chart): Promise<object>
}

export async function chartsOf({ remote }: CliContext): Promise<Charts> {
  if (!remote) {
    const { chart, charts, machineConfig } = await import('../../../inspect/exports.ts')
    return { list: async () => charts(), one: async (id) => chart(id), config: async (found) => machineConfig(found) }
  }
  const { apiOf } = await import('../../remote/api.ts')
  const api = apiOf(remote)
  return {
    list: async () => (await api.listMachines()).machines,
    async one(machineId) {
      try {
        return (await api.getMachine({ path: { machineId } })) as Chart // as the engine has it
      } catch (error) {
        if (error instanceof TroupeError && ['not_found', 'bad_request'].includes(error.code)) return undefined
        throw error
      }
    },
    config: async ({ id }) =>
      (await api.getMachine({ path: { machineId: id }, query: { format: 'stately' } })) as object
  }
}
