/** Homes whose store is damaged at random pages, started again and again: an engine comes up by itself, and nothing is hidden. Source: reliability P1, P4, P7, P22. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PROGRAM } from '../../support/cli/program.ts'
import type { Random } from '../../support/random.ts'
import { damagePages, deadly, PAGE } from '../../support/store/damaged-pages.ts'
import { eventually } from '../../support/waiting.ts'
import { type EngineProcess, startEngine } from '../engine-process.ts'
import { newHome, removeHome } from '../home.ts'
import type { Findings } from '../suite.ts'

/** How the last engine ended is unknown. */
export const PAGES_PLANT = 'believes in a goodbye that nobody has said'

const IDS = Array.from({ length: 12 }, (_, at) => `r${at}`)
/** Engines that may die of one damage; the next start copies what can be read. */
const MOST_DEATHS = 3
const MOST_STARTS = 7
const END_MS = 30_000
/** Random damage ends few engines: every so many rounds it is damage that does. */
const SURELY = 4
/** Exit code of `troupe doctor`. */
const DAMAGED = 2
/** Text of a journal, which no start reads. */
const IN_A_JOURNAL = 'attempt.ended'

export async function damagePagesAll(
  random: Random,
  rounds: number,
  plant: string | undefined,
  findings: Findings,
  counts: Record<string, number>
): Promise<void> {
  const [whole, folder] = [newHome(), newHome()]
  const backup = join(folder, 'backup')
  await live(whole)
  if ((await troupe(whole, 'backup', backup)) !== 0) findings.add('P7', 'a home that is whole cannot be backed up')
  for (let round = 0; round < rounds; round++) {
    const home = newHome()
    cpSync(whole, home, { recursive: true })
    const what = round % SURELY === 0 ? surelyDeadly(home) : damagePage(home, random)
    const deaths = await startedAgain(home, what, plant, findings)
    counts.pages = (counts.pages ?? 0) + 1
    counts.deaths = (counts.deaths ?? 0) + deaths
    if (deaths > 0) await restored(home, backup, what, findings)
    removeHome(home)
  }
  for (const each of [whole, folder]) removeHome(each)
}

async function live(home: string): Promise<void> {
  const engine = await startEngine({ home })
  for (const dagRunId of IDS) {
    const spec = 'name: done\nmaxActiveRuns: -1\nsteps: ["true", "true"]'
    const { status, text } = await engine.call('POST', '/dag-runs', { spec, dagRunId })
    if (status !== 200) throw new Error(text)
  }
  await eventually(
    'the runs to end',
    async () => {
      const { json } = await engine.call('GET', '/dag-runs/done?status=4')
      return json.dagRuns.length === IDS.length || undefined
    },
    END_MS
  )
  await engine.close()
}

function surelyDeadly(home: string): string {
  return `${damagePages(home, IN_A_JOURNAL, deadly)} pages of a journal that end their reader`
}

/** The first two locate everything: LMDB is not called before they are right (`store-file.ts`). */
function damagePage(home: string, random: Random): string {
  const file = join(home, 'data', 'troupe.mdb')
  const bytes = readFileSync(file)
  const page = 2 + random.below(Math.floor(bytes.length / PAGE) - 2)
  for (let at = page * PAGE; at < (page + 1) * PAGE; at++) bytes[at] = random.below(256)
  writeFileSync(file, bytes)
  return `page ${page} of random bytes`
}

/** As a supervisor does, until an engine lives through a look at everything. @returns how many have died */
async function startedAgain(
  home: string,
  what: string,
  plant: string | undefined,
  findings: Findings
): Promise<number> {
  let deaths = 0
  let lived = false
  for (let start = 0; start < MOST_STARTS; start++) {
    if (plant === PAGES_PLANT) rmSync(join(home, 'data', 'life'), { force: true })
    let engine: EngineProcess
    try {
      engine = await startEngine({ home })
    } catch (error) {
      const { message } = error as Error
      if (/ended with SIG(BUS|SEGV|ABRT)/.test(message)) {
        deaths++
        continue
      }
      findings.check(
        /troupe restore/.test(message),
        'P7',
        `${what}: a start is refused without how to fix it: ${message}`
      )
      continue
    }
    lived = await lookedAt(home, engine, what, findings)
    if (!engine.gone) await engine.close()
    if (lived) break
    deaths++
  }
  if (plant !== PAGES_PLANT) findings.check(lived, 'P7', `${what}: no engine comes up in ${MOST_STARTS} starts`)
  findings.check(deaths <= MOST_DEATHS, 'P22', `${what}: ${deaths} engines in a row have died of it`)
  return deaths
}

/** Every run is looked at in every way. @returns whether the engine lives */
async function lookedAt(home: string, engine: EngineProcess, what: string, findings: Findings): Promise<boolean> {
  try {
    const list = await engine.call('GET', '/dag-runs/done')
    const listed: unknown[] = list.json?.dagRuns?.map(({ dagRunId }: { dagRunId: string }) => dagRunId) ?? []
    const hidden = IDS.filter((id) => !listed.includes(id))
    // D1661: LMDB takes the bytes of some damaged pages for one with fewer entries
    if (list.status === 200 && hidden.length > 0)
      findings.check(
        (await troupe(home, 'doctor')) === DAMAGED,
        'P1',
        `${what}: ${hidden.join(', ')} are not listed, and the doctor sees nothing`
      )
    for (const id of IDS)
      for (const look of ['', '/journal', '/actors', '/explain', '/spec', '/steps/cmd_1/log']) {
        const { status, json } = await engine.call('GET', `/dag-runs/done/${id}${look}`)
        if (look !== '' || status !== 200) continue
        const shown: { statusLabel: string; error: string }[] = json.dagRun.nodes
        const wrong = shown.filter(
          ({ statusLabel, error }) => statusLabel !== 'succeeded' && error !== 'state unreadable'
        )
        findings.check(
          wrong.length === 0,
          'P4',
          `${what}: a step of ${id} that has succeeded is shown as ${wrong[0]?.statusLabel} ${wrong[0]?.error}`
        )
      }
    return true
  } catch {
    await engine.ended
    return false
  }
}

async function restored(home: string, backup: string, what: string, findings: Findings): Promise<void> {
  if (!existsSync(backup)) return
  const code = await troupe(home, 'restore', backup, '--replace')
  findings.check(code === 0, 'P1', `${what}: a backup cannot take the place of the store: ${code}`)
  if (code !== 0) return
  const engine = await startEngine({ home })
  const { json } = await engine.call('GET', '/dag-runs/done')
  findings.check(json.dagRuns.length === IDS.length, 'P1', `${what}: ${json.dagRuns.length} runs after the restore`)
  await engine.close()
}

/** @returns its exit code, or the signal that ended it */
async function troupe(home: string, ...argv: string[]): Promise<number | string> {
  const env = { PATH: process.env.PATH, HOME: home, ENGINE_HOME: home }
  const [code, signal] = await once(spawn(process.execPath, [PROGRAM, ...argv], { env, stdio: 'ignore' }), 'exit')
  return code ?? signal
}
