/** Commands of conditions and in backticks: no process runs them. */
import type { Capture } from '../executors/launcher/capture.ts'
import type { End } from './ends.ts'
import type { Mocks } from './mocks.ts'
import type { Timeline } from './timeline.ts'

/** @param command as a shell would get it, all variables expanded */
async function endOfCommand({ clock, tell }: Timeline, mocks: Mocks, command: string): Promise<End> {
  const text = command.trim()
  const shown = JSON.stringify(text)
  const end = await mocks.endFor(
    { what: `command ${shown}`, keys: [`command:${text}`], advice: `mock({ command: ${shown} }, ...)` },
    { params: null, attempt: 1, at: clock.now(), command: text }
  )
  return new Promise((resolve) => {
    const arrive = () => tell(`command ${text}`, () => resolve(end))
    if (end.afterMs > 0) clock.after(end.afterMs, arrive)
    else arrive()
  })
}

/** For what is run while a run goes on. */
export const mockedCapture =
  (timeline: Timeline, mocks: Mocks): Capture =>
  async ({ argv, signal }) => {
    const stopped = new Promise<End>((resolve) => {
      const stop = () => resolve({ exitCode: -1, stdout: '', stderr: '', afterMs: 0, value: null })
      if (signal?.aborted) stop()
      else signal?.addEventListener('abort', stop, { once: true })
    })
    const end = await Promise.race([endOfCommand(timeline, mocks, argv.at(-1) ?? ''), stopped])
    const { exitCode, stdout, stderr } = end
    return { exitCode, cause: exitCode < 0 ? 'signal: killed' : `exit status ${exitCode}`, stdout, stderr }
  }

/** For what is run while a definition is loaded. */
export const mockedBackticks =
  (timeline: Timeline, mocks: Mocks) =>
  async (command: string): Promise<string> => {
    const { exitCode, stdout, stderr } = await endOfCommand(timeline, mocks, command)
    if (exitCode === 0) return stdout.trim()
    throw new Error(`failed to execute command "${command}": exit status ${exitCode}${stderr && `\n${stderr}`}`)
  }
