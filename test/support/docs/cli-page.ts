/** docs/cli.md by its sections: the blocks of commands in each, and which test runs them. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PROJECT } from '../project.ts'
import { fencesIn } from './fences.ts'

/** Of each test in test/docs/run, the sections of which it says more than that they succeed, in their order. */
export const SECTIONS = {
  'cli-runs': [
    'A run in the foreground',
    'troupe start',
    'troupe enqueue',
    'troupe dequeue',
    'troupe stop',
    'troupe restart',
    'troupe retry',
    'troupe set-status',
    'troupe waiting',
    'troupe signal',
    'troupe approve'
  ],
  'cli-looks': [
    'troupe list',
    'troupe runs',
    'troupe status',
    'troupe diff',
    'troupe open',
    'troupe explain',
    'troupe inspect',
    'troupe at',
    'troupe sequence',
    'troupe decisions',
    'troupe logs',
    'troupe events',
    'troupe queues',
    'troupe watch'
  ],
  'cli-homes': [
    'troupe dry',
    'troupe edit',
    'troupe versions',
    'troupe validate',
    'troupe test',
    'troupe schema',
    'troupe config',
    'troupe doctor',
    'troupe deliveries',
    'troupe audit',
    'troupe backup',
    'troupe restore',
    'troupe import',
    'troupe completion',
    'troupe version',
    'API keys',
    'troupe keys',
    'troupe key',
    'troupe suspend',
    'troupe resume',
    'troupe rename',
    'troupe delete'
  ],
  'cli-servers': [
    'troupe start-all',
    'troupe server',
    'troupe scheduler',
    'troupe coordinator',
    'troupe worker',
    'troupe workers',
    'Workers'
  ]
} as const

/** What a test does in each of its sections. */
export type Sections<Test extends keyof typeof SECTIONS> = Record<
  (typeof SECTIONS)[Test][number],
  () => Promise<unknown>
>

const blocks = new Map(
  readFileSync(join(PROJECT, 'docs/cli.md'), 'utf8')
    .split(/^#{2,3} /m)
    .map((section) => {
      const found = fencesIn('', section).filter(({ language }) => language === 'sh')
      return [section.split('\n', 1)[0] ?? '', found.map(({ text }) => text)] as const
    })
    .filter(([, found]) => found.length > 0)
)

/** Titles of sections with commands. */
export const titles = [...blocks.keys()]

/** Those that have nothing of their own in a test, such as the section of a new command. */
export const others = titles.filter((title) => !Object.values<readonly string[]>(SECTIONS).flat().includes(title))

/** The commands of a section. @throws Error there are none */
export function commandsOf(title: string): [string, ...string[]] {
  const [first, ...others] = blocks.get(title) ?? []
  if (first === undefined) throw new Error(`docs/cli.md has no commands in a section ${title}`)
  return [first, ...others]
}
