/** What the first engine of a process has to load and to compile, before that is needed. */
import { defineDag } from '../builder/define-dag.ts'
import { connectEngine } from './connect/connect-engine.ts'
import type { EngineOptions } from './options.ts'
import type { HostEngine } from './typed-runs.ts'

/** Opens an engine on a home of its own, and has it do what the next owner does first. @param open without settings of the environment */
export async function warmUp(
  open: (options: EngineOptions) => Promise<HostEngine>,
  { clients = false }: EngineOptions
): Promise<void> {
  const dag = defineDag({ name: 'warm-up' }, (d) => d.step('one', {}, () => null))
  const engine = await open({ temporary: true, clients, dags: [dag] })
  const client = connectEngine({ home: engine.home, dataDir: engine.config.dataDir })
  try {
    const run = clients ? await client.start(dag, {}) : await engine.start(dag, {})
    await run.result()
  } finally {
    client.close()
    await engine.close()
  }
}
