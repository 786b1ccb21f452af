/** Enters into the audit log what a command has done to a home of this machine without an engine. */
import type { OwnersEntry } from '../../api/contract/owner-operations.ts'
import { ownersEntry, stepIn } from '../../api/owner/calling-step.ts'
import type { Config } from '../../config.ts'
import { messageOf, TroupeError } from '../../errors.ts'
import type { CliContext } from '../context.ts'

/**
 * By the process that owns the home, else here. Does nothing where none is kept.
 * @throws TroupeError service_unavailable: it is done, and not entered
 */
export async function entered(
  context: Pick<CliContext, 'clock'>,
  config: Pick<Config, 'audit' | 'dataDir' | 'environment'>,
  ...entries: readonly OwnersEntry[]
): Promise<void> {
  if (!config.audit.enabled || entries.length === 0) return
  try {
    const { ownerOf } = await import('./open-client.ts')
    const owner = await ownerOf(config, context)
    if (owner) {
      for (const entry of entries) await owner.owner.enterChange({ body: entry })
      await owner.close()
      return
    }
    const [{ enterAlone }, { maskOf }] = await Promise.all([
      import('../../audit/alone.ts'),
      import('../../audit/bounded.ts')
    ])
    const { dir, retentionDays } = config.audit
    const { dataDir, environment } = config
    const { clock } = context
    const by = ownersEntry(stepIn(environment))
    await enterAlone(
      { dir, retentionDays, mask: maskOf(environment), dataDir, clock },
      entries.map((entry) => ({ ...by, ...entry, outcome: 'done' }))
    )
  } catch (cause) {
    throw new TroupeError(
      'service_unavailable',
      `it is done, and could not be entered into the audit log: ${messageOf(cause)}`,
      { cause }
    )
  }
}
