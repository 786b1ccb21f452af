/** Client of the engine of a home, whatever carries its requests: the socket of the process that owns the home, or functions in this one. Loads nothing of an engine. */
import type { RunKey } from '../../../machines/vocabulary.ts'
import type { Operation } from '../../api/contract/operation.ts'
import { LINES, type StartedRun } from '../../api/contract/owner-operations.ts'
import { COMMAND_HEADER, stepText } from '../../api/owner/calling-step.ts'
import { Gone } from '../../api/owner/gone.ts'
import type { OwnedHome } from '../../api/owner/home.ts'
import type { TreePlace } from '../../api/tree-events.ts'
import type { RunDetails, Transport } from '../../client/index.ts'
import type { CallArguments } from '../../client/request.ts'
import type { Clock } from '../../clock.ts'
import type { CallingStep } from '../../engine/engine.ts'
import { messageOf, TroupeError } from '../../errors.ts'
import { apiOf, loaded } from '../remote/api.ts'
import type { OwnersApi } from './acts.ts'
import { type Hearing, hearing, type Outside, throughRestarts, toItsEnd } from './held-run.ts'
import type { FollowOptions, OpenClient } from './opened.ts'

export interface HomeClient extends OpenClient {
  readonly owner: OwnersApi
}

type Owner = OwnersApi & { tree(run: PathOfRun & Record<string, string>): Promise<AsyncIterable<string>> }

interface Way {
  clock: Clock
  /** In which the command runs; absent: in none. */
  step?: CallingStep | undefined
  /** What there is when the engine has gone; absent: nothing, as it is in this process. */
  outside?: Outside
}

/** @param fetch gets URLs that begin below the base path, or with `/owner/` */
export function homeClient(home: OwnedHome, fetch: Transport, { clock, step, outside }: Way): HomeClient {
  const closing = new AbortController()
  const { signal } = closing
  const options = { baseUrl: '', headers: { [COMMAND_HEADER]: stepText(step) }, fetch }
  const api = apiOf({ url: home.home, ...options })
  /** The answers that began with the start of a run, by its id: its events follow. */
  const begun = new Map<string, AsyncIterable<string>>()
  const owner: Owner = loaded(home.home, async () => {
    const [{ callsTo, send, textIn }, { OWNER_OPERATIONS: operations }] = await Promise.all([
      import('../../client/request.ts'),
      import('../../api/contract/owner-operations.ts')
    ])
    const { startDag, retryRun, streamTree } = operations
    const lines = async (operation: Operation, input: CallArguments) =>
      linesOf(textIn(await send(options, operation, { ...input, signal }, { Accept: LINES })))
    async function begin(operation: Operation, input: CallArguments): Promise<StartedRun> {
      const told = await lines(operation, input)
      const first = await told.next()
      if (first.done) throw new Gone()
      const started: StartedRun = JSON.parse(first.value) // as its schema has it
      begun.set(started.key.dagRunId, told)
      return started
    }
    const calls = callsTo(options, Object.entries(operations)) as OwnersApi // each function is made of its operation
    const tree: Owner['tree'] = (path) => lines(streamTree, { path })
    // An engine of this process answers later requests, too.
    if (!outside) return { ...calls, tree }
    return {
      ...calls,
      startDag: (input = {}) => begin(startDag, input),
      retryRun: (input) => begin(retryRun, input),
      tree
    }
  })

  const through = <T>(
    run: RunKey,
    heard: Hearing,
    again: () => Promise<T>,
    { first = again(), say }: Through<T> = {}
  ) =>
    outside
      ? throughRestarts<T | RunDetails>(first, {
          again,
          isBack: outside.isBack,
          end: () => outside.end(run, heard),
          clock,
          signal,
          say
        })
      : first

  return {
    ...home,
    here: !outside,
    isElsewhere: false,
    api,
    owner,
    acts: {
      startDag: owner.startDag,
      enqueueDag: owner.enqueueDag,
      stopAllRuns: owner.stopAllRuns,
      validateFile: owner.validateFile,
      isStalled: owner.isStalled,
      retryRun: (input) => ofRun(input.path, owner.retryRun(input)),
      stopRun: (input) => ofRun(input.path, api.stopRun(input))
    },
    follow(key, listen, { after, say } = {}) {
      const heard = hearing(listen, after)
      const lines = begun.get(key.dagRunId)
      begun.delete(key.dagRunId)
      const first = lines && toTheEnd(lines, heard.hear)
      return through(key, heard, () => toItsEnd({ api, clock, signal }, key, heard), { first, say })
    },
    watchTree: ({ name, dagRunId }, listen, joined) =>
      through({ name, dagRunId }, UNHEARD, async () => {
        const lines = await owner.tree({ name, dagRunId })
        joined() // the engine sends the head once it has subscribed
        return toTheEnd(lines, listen)
      }),
    unneeded: async () => {},
    close: async () => closing.abort()
  }
}

interface Through<T> {
  first?: Promise<T> | undefined
  say?: FollowOptions['say']
}

/** No event was received, and no earlier one is wanted. */
const UNHEARD = hearing(() => {})

interface PathOfRun {
  name: string
  dagRunId: string
}

/** No run has an id that cannot be one. */
async function ofRun<T>({ name, dagRunId }: PathOfRun, asked: Promise<T>): Promise<T> {
  try {
    return await asked
  } catch (cause) {
    if (!/^(path\.)?dagRunId: /.test(messageOf(cause))) throw cause
    throw new TroupeError('not_found', `there is no run ${dagRunId} of ${name}`, { cause })
  }
}

/** Lines of pieces of text, an unfinished last one included. @throws Gone when they break off */
async function* linesOf(texts: AsyncIterable<string>): AsyncGenerator<string, void> {
  let rest = ''
  try {
    for await (const text of texts) {
      const lines = (rest + text).split('\n')
      rest = lines.pop() ?? ''
      yield* lines
    }
  } catch (cause) {
    throw cause instanceof Gone ? cause : new Gone(cause)
  }
  if (rest) yield rest
}

/** @throws Gone when the lines end before the run does */
async function toTheEnd<E>(
  lines: AsyncIterable<string>,
  listen: (event: E, place: TreePlace) => void
): Promise<RunDetails> {
  for await (const line of lines) {
    // As the operation says: a place is sent to listeners that use it.
    const { event, place, ended }: { event?: E; place: TreePlace; ended?: RunDetails } = JSON.parse(line)
    if (ended) return ended
    if (event) listen(event, place)
  }
  throw new Gone()
}
