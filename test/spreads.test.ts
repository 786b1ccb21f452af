/** A list of a caller's length is never spread into arguments: above about 120,000 of them the stack overflows. Source: reliability P21. */
import { expect } from 'chai'
import { type Source, sources } from './support/tree/imports.ts'

const CALL = /\.(?:push|unshift|splice|concat|apply|max|min|fromCharCode|fromCodePoint)\((?:[^(){}[\]]*, )?\.\.\./

/** Files in which one is, and how long its list can be. */
const BOUNDED: Readonly<Record<string, string>> = {
  'src/config.ts': 'what is wrong with the settings of a host application',
  'src/definitions/definition-list.ts': 'one or none',
  'src/executors/launcher/kept-files.ts': 'file descriptors',
  'src/cli/commands/import/report-lines.ts': 'the lines of an entry',
  'src/cli/commands/keys/key.ts': 'flags of a command',
  'src/cli/input/help.ts': 'its own rows',
  'src/cli/commands/config.ts': 'settings',
  'src/cli/commands/inspect/inspect.ts': 'actors of a run: its steps, 10,000 at most',
  'src/cli/output/run-output.ts': 'the two logs of each step',
  'src/cli/watch/screen.ts': 'rows of a terminal',
  'src/cli/view/inspection.ts': 'steps, or the part of a list that was asked for',
  'src/cli/view/frame.ts': 'rows of a terminal',
  'src/cli/view/outline.ts': 'steps',
  'src/cli/view/summary.ts': 'steps',
  'src/page/chart/near-labels.ts': 'lines of the words at a transition',
  'src/page/chart/part-layout.ts': 'states of a chart',
  'src/page/definition/grid.tsx': '50 runs',
  'src/page/definition/step-durations.tsx': '50 runs',
  'src/page/lists/use-older.ts': 'the part of a list that was asked for',
  'src/page/run/step/step-table.tsx': 'one'
}

const spreading = (all: Source[]) =>
  all.filter(({ text }) => text.split('\n').some((line) => CALL.test(line))).map(({ path }) => path)

describe('lists of any length', () => {
  it('are not spread into the arguments of a call', () => {
    expect(spreading(sources())).to.have.members(Object.keys(BOUNDED))
  })
  it('the check can fail', () => {
    for (const text of ['found.push(...words)', 'Math.max(0, ...sizes)', 'list.splice(at, 0, ...more)'])
      expect(spreading([{ path: 'a.ts', text }]), text).to.have.length(1)
  })
})

/** The beginning of a literal that is spread. */
const LITERAL = /(?:^|[[{(,])\s*\.\.\.\(?(?:\{\s*\w|\[\s*['"`\d])/gm

/** Whether a literal is spread whose members could stand there themselves: nothing is done with it. */
function hasSpreadLiteral(text: string): boolean {
  return Array.from(text.matchAll(LITERAL)).some(({ 0: found, index }) => {
    let depth = 1
    let at = index + found.search(/[{[]\s*['"`\w]+$/) + 1
    for (; depth > 0 && at < text.length; at++) {
      if ('[{('.includes(text.charAt(at))) depth++
      if (']})'.includes(text.charAt(at))) depth--
    }
    return !/^(?: as const)?\)?\s*(?:\.|\?)/.test(text.slice(at))
  })
}

// D1655: it only keeps several members on one line, and a reader looks for a meaning
describe('literals', () => {
  const spread = (all: Source[]) => all.filter(({ text }) => hasSpreadLiteral(text)).map(({ path }) => path)

  it('are not spread into literals', () => {
    expect(
      spread(sources(['machines', 'src', 'test']).filter(({ path }) => path !== 'test/spreads.test.ts'))
    ).to.deep.equal([])
  })
  it('the check can fail, and lets a condition be', () => {
    for (const text of ["[...['a', 'b'], c]", '{\n  ...{ a, b },\n  c }', 'f(...[1, 2])'])
      expect(spread([{ path: 'a.ts', text }]), text).to.have.length(1)
    for (const text of ['{ ...(a ? { a } : {}), b }', '[...names, ...[...others].sort()]', "[...['a', 'b'].map(f)]"])
      expect(spread([{ path: 'a.ts', text }]), text).to.deep.equal([])
  })
})
