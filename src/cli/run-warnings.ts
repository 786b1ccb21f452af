/** What whoever starts a run may not have meant, on stderr. */
import type { RunKey } from '../../machines/vocabulary.ts'
import type { OpenDoor } from './open-door.ts'
import { oneLine } from './view/text.ts'

export async function sayWarnings(
  door: OpenDoor,
  { name, dagRunId }: RunKey,
  say: (text: string) => void
): Promise<void> {
  const view = await door.run(name, dagRunId)
  for (const warning of view?.run.warnings ?? []) say(`warning: ${oneLine(warning)}`)
}
