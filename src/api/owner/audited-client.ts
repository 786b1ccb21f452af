/** Enters into the audit log what the owner of a home changes by the command line, over the socket or in its own process. */
import type { RunKey } from '../../../machines/vocabulary.ts'
import type { Audit, CallingStep, Engine, NewEntry } from '../../engine/engine.ts'
import { codeOf, messageOf, TroupeError } from '../../errors.ts'
import { userName } from '../../platform/user-name.ts'
import { type EngineClient, engineClientOf, type StartedRun } from './engine-client.ts'

type Facts = Readonly<Record<string, unknown>>

/** Of something that is done; what has been done is known when it is. */
interface Change<T> {
  operation: string
  target?: Record<string, string>
  before?: Facts
  asked?: Facts
  of?(result: T): { target?: Record<string, string>; after?: Facts }
}

/**
 * The client of the command line, with what it changes in the audit log where one is kept.
 * @param step in which the command runs; absent: in none
 */
export function ownersClientOf(engine: Engine, step?: CallingStep): EngineClient {
  const client = engineClientOf(engine)
  return engine.audit ? auditedClient(client, engine, engine.audit, step) : client
}

/** Changes nothing. The compiler demands that each other member says what it changes. */
type Reads = Pick<
  EngineClient,
  'home' | 'dagsDir' | 'holdsQueues' | 'page' | 'apiPath' | 'watchTree' | 'definition' | 'stalled'
>

// D1462: what a command does without an engine is entered by the owner of the home, else by the command itself
function auditedClient(client: EngineClient, engine: Engine, audit: Audit, step?: CallingStep): EngineClient {
  const byOwner = () => ({
    principal: { kind: 'owner', name: userName() ?? '' },
    door: 'cli' as const,
    ...(step === undefined ? {} : { step })
  })

  async function change<T>(what: Change<T>, act: () => Promise<T>): Promise<T> {
    audit.refuseWhileStuck()
    const { operation, target = {}, before, asked = {}, of } = what
    const entry = { ...byOwner(), operation, ...(before ? { before } : {}) }
    const { shownValue } = await import('../../audit/bounded.ts')
    const shown = (facts: Facts): Facts =>
      Object.keys(asked).length > 0 ? { ...facts, asked: shownValue(asked, audit.mask) } : facts
    const failed = (cause: unknown): NewEntry => ({
      ...entry,
      ...targetOf(target),
      outcome: cause instanceof TroupeError ? cause.code : (codeOf(cause) ?? 'internal_error'),
      reason: messageOf(cause).slice(0, MOST_REASON),
      after: shown({})
    })
    let result: T
    try {
      result = await audit.answeredFor(act)
    } catch (cause) {
      audit.refused(failed(cause))
      throw cause
    }
    const done = of?.(result) ?? {}
    await audit.note({
      ...entry,
      ...targetOf({ ...target, ...done.target }),
      outcome: 'done',
      after: shown(done.after ?? {})
    })
    return result
  }

  const statusOf = ({ name, dagRunId }: RunKey): Facts => {
    const status = engine.record({ name, dagRunId })?.status
    return status === undefined ? {} : { status }
  }
  const started = ({ key, queued }: StartedRun) => ({ target: { ...key }, after: { queued } })

  const reads: Reads = client
  const changes: Required<Omit<EngineClient, keyof Reads>> = {
    enter: (entry) => audit.note({ ...byOwner(), ...entry, outcome: 'done' }),
    start: ({ ...request }) =>
      change({ operation: 'startDag', asked: { ...request }, of: started }, () => client.start(request)),
    enqueue: ({ ...request }) =>
      change({ operation: 'enqueueDag', asked: { ...request }, of: (key: RunKey) => ({ target: { ...key } }) }, () =>
        client.enqueue(request)
      ),
    retry: (key, options) =>
      change(
        { operation: 'retryRun', target: { ...key }, before: statusOf(key), asked: { ...options }, of: started },
        () => client.retry(key, options)
      ),
    stop: (name, dagRunId, options) =>
      change(
        {
          operation: dagRunId === undefined ? 'stopAllRuns' : 'stopRun',
          target: { name, ...(dagRunId === undefined ? {} : { dagRunId }) },
          asked: { ...options },
          of: (keys: RunKey[]) => ({ after: { stopped: keys.map(({ dagRunId }) => dagRunId) } })
        },
        () => client.stop(name, dagRunId, options)
      )
  }
  return { ...reads, ...changes }
}

const MOST_REASON = 300
const targetOf = (target: Record<string, string>) => (Object.keys(target).length > 0 ? { target } : {})
