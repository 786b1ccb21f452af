/** The audit log of a home that is owned: opened where one is kept, with the start and the end of a server in it. */
import { createHash } from 'node:crypto'
import type { Audit } from '../../audit/audit.ts'
import type { NewEntry } from '../../audit/entry.ts'
import { type Config, shownSettings } from '../../config.ts'
import { messageOf } from '../../errors.ts'
import { userName } from '../../platform/user-name.ts'
import { VERSION } from '../../version.ts'
import type { Engine } from '../engine.ts'
import type { EngineParts } from '../engine-parts.ts'

export interface OpenAudit {
  log: Audit
  /** The engine, which enters what nobody else does. */
  entering(engine: Engine): Engine
  close(): Promise<void>
}

// D1455: no audit log is kept unless the configuration says so
/** Undefined: none is kept. Loads nothing then. */
export async function auditOf(parts: EngineParts): Promise<OpenAudit | undefined> {
  const { config, clock, store, log, schedules } = parts
  const { enabled, dir, retentionDays } = config.audit
  // A test engine has no home on disk.
  if (!enabled || parts.openHome) return undefined
  const [{ openTrail }, { maskOf }, { enteredEngine }] = await Promise.all([
    import('../../audit/trail.ts'),
    import('../../audit/bounded.ts'),
    import('./entered-engine.ts')
  ])
  const trail = openTrail({
    dir,
    store,
    clock,
    retentionDays,
    strict: config.durability === 'strict',
    mask: maskOf(config.environment, secretsIn(config)),
    report: (sentence, cause) => log.error(sentence, cause === undefined ? {} : { reason: messageOf(cause) })
  })
  const served = async (operation: string) => {
    if (!schedules) return
    // An entry that cannot be made now was reported, and is tried again.
    await trail.note(serverEntry(operation, config)).catch(() => {})
  }
  await served('serverStarted')
  return {
    log: trail,
    entering: (engine) => enteredEngine(engine, trail),
    async close() {
      await served('serverStopped')
      await trail.close()
    }
  }
}

function serverEntry(operation: string, config: Config): NewEntry {
  return {
    principal: { kind: 'owner', name: userName() ?? '' },
    door: 'engine',
    operation,
    outcome: 'done',
    after: { version: VERSION, pid: process.pid, settings: digestOf(config) }
  }
}

/** Changes with every setting; of secrets it does not tell. */
function digestOf(config: Config): string {
  const shown = shownSettings(config).map(({ key, value }) => [key, value])
  return createHash('sha256').update(JSON.stringify(shown)).digest('hex')
}

const secretsIn = ({ auth, remoteNodes }: Config): string[] => [
  ...auth.tokens.map(({ value }) => value.reveal()),
  ...(auth.oidc ? [auth.oidc.clientSecret.reveal()] : []),
  ...remoteNodes.flatMap(({ credentials }) =>
    credentials ? ['token' in credentials ? credentials.token.reveal() : credentials.password.reveal()] : []
  )
]
