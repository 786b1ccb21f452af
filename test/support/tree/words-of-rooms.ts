/** Words that one room alone may write, as data. Source: style "Who may import whom". */

/** The page runs in a browser and has its own clock. */
const PAGE_CLOCK = 'src/page/clock.ts'

/** Words that belong to one room: who looks at the time, waits, draws random numbers or reads the environment. */
export const WORDS_OF_A_ROOM: { word: string; pattern: RegExp; room: string; also?: string[] }[] = [
  { word: 'Date.now', pattern: /\bDate\s*\.\s*now\b/, room: 'src/clock.ts', also: [PAGE_CLOCK] },
  { word: 'new Date()', pattern: /\bnew\s+Date\s*(?:\(\s*\)|(?!\s*\())/, room: 'src/clock.ts' },
  // A member of that name in an object, as in XState's interface of a clock, is no call.
  {
    word: 'setTimeout',
    pattern: /\bsetTimeout\b(?!\s*:)/,
    room: 'src/clock.ts',
    // The last: the limit of a connection, which is no timer.
    also: [PAGE_CLOCK, 'src/client/pause.ts', 'src/api/routes/home/backup.ts']
  },
  { word: 'setInterval', pattern: /\bsetInterval\b(?!\s*:)/, room: 'src/clock.ts' },
  { word: 'Math.random', pattern: /\bMath\s*\.\s*random\b/, room: 'src/clock.ts' },
  { word: 'process.env', pattern: /\bprocess\s*\.\s*env\b/, room: 'src/config.ts' }
]
