/** What each program of the comparison plays and prints: one line of JSON with steps a second, and processor time for each step. */

export interface Figures {
  perSecond: number
  cpuMs: number
}
/** @param isWide all steps of a run at once; else each after the one before */
export type Play = (runs: number, steps: number, isWide: boolean) => Promise<void>

export const SHAPES = {
  chain: { title: 'chain of 200', runs: 1, steps: 200, isWide: false },
  fan: { title: '200 at once', runs: 1, steps: 200, isWide: true },
  many: { title: '50 runs of 10', runs: 50, steps: 10, isWide: false }
}
export type Round = Record<keyof typeof SHAPES, Figures>

/** The first steps of the process are not counted. */
export async function playRounds(play: Play): Promise<void> {
  await play(1, 50, false)
  const round: Partial<Round> = {}
  for (const [name, { runs, steps, isWide }] of Object.entries(SHAPES)) {
    const [begun, used] = [performance.now(), process.cpuUsage()]
    await play(runs, steps, isWide)
    const { user, system } = process.cpuUsage(used)
    const all = runs * steps
    round[name as keyof Round] = {
      perSecond: (all / (performance.now() - begun)) * 1_000,
      cpuMs: (user + system) / 1_000 / all
    }
  }
  console.log(JSON.stringify(round))
}
