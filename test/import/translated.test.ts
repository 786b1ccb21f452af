/** Definitions of Dagu 1.24 to 2.x in the words of this format. Source: docs/operating/coming-from-dagu.md. */
import { expect } from 'chai'
import { readDefinition } from '../../src/definition/read.ts'
import { translated } from '../../src/import/dagu/translate/translated.ts'

const around = { isDefinition: (name: string) => name === 'child' }

/** What becomes of a text, and the kinds of what is said of it. */
function becomes(text: string, wanted: string, ...kinds: string[]): void {
  const found = translated(text, around)
  expect(found.text).to.equal(wanted)
  expect([...new Set(found.changes.map(({ kind }) => kind))].sort()).to.deep.equal([...kinds].sort())
  expect(readDefinition(found.text, { fallbackName: 'x' }).problems.map(({ message }) => message)).to.deep.equal([])
}
const translatedTo = (text: string, wanted: string) => becomes(text, wanted, 'translated')

describe('import › definitions of other releases', () => {
  it('a text in the words of this format is not touched, whatever its layout', () => {
    const text = '# mine\nsteps:\n   -   name:   a   # here\n       command: "echo  a"\n'
    expect(translated(text, around)).to.deep.equal({ text, changes: [], schemas: [] })
  })
  it('names with underscores get the names of their level; comments and order stay', () =>
    translatedTo(
      [
        '# nightly',
        'max_active_runs: 2 # two at a time',
        'hist_retention_days: 7',
        'handler_on:',
        '  abort:',
        '    command: echo stopped',
        'steps:',
        '  # the first',
        '  - name: a',
        '    command: echo a',
        '    working_dir: /tmp',
        '    retry_policy: {limit: 1, interval_sec: 2}',
        '    continue_on:',
        '      exit_code: [1]',
        '      mark_success: true',
        ''
      ].join('\n'),
      [
        '# nightly',
        'maxActiveRuns: 2 # two at a time',
        'histRetentionDays: 7',
        'handlerOn:',
        '  cancel:',
        '    command: echo stopped',
        'steps:',
        '  # the first',
        '  - name: a',
        '    command: echo a',
        '    workingDir: /tmp',
        '    retryPolicy: {limit: 1, intervalSec: 2}',
        '    continueOn:',
        '      exitCode: [1]',
        '      markSuccess: true',
        ''
      ].join('\n')
    ))
  it('run is a command where no workflow has that name, and a script where it has several lines', () => {
    translatedTo('steps:\n  - run: echo "a"\n', 'steps:\n  - command: echo "a"\n')
    translatedTo(
      'steps:\n  - run: |\n      echo a\n      echo b\n',
      'steps:\n  - script: |\n      echo a\n      echo b\n'
    )
    translatedTo(
      'steps:\n  - run: [echo a, echo b]\n',
      'steps:\n  - script: |\n      set -e\n      echo a\n      echo b\n'
    )
    becomes('steps:\n  - run: child\n', 'steps:\n  - run: child\n', 'note')
    becomes('steps:\n  - run: make\n', 'steps:\n  - run: make\n', 'note')
    becomes(
      'steps:\n  - run: b\n---\nname: b\nsteps: [echo b]\n',
      'steps:\n  - run: b\n---\nname: b\nsteps: [echo b]\n',
      'note'
    )
    translatedTo(
      'steps:\n  - run: echo a\n    with:\n      shell: /bin/bash\n',
      'steps:\n  - command: echo a\n    shell: /bin/bash\n'
    )
  })
  it('a list of commands is a script; a program with its arguments stays a list', () => {
    translatedTo(
      'steps:\n  - command:\n      - echo a b\n      - echo c\n',
      'steps:\n  - script: |\n      set -e\n      echo a b\n      echo c\n'
    )
    becomes('steps:\n  - command: [echo, a b]\n', 'steps:\n  - command: [echo, a b]\n')
  })
  it('type and config of a step are its executor', () =>
    translatedTo(
      'steps:\n  - name: get\n    type: http\n    command: GET https://example.org\n    config:\n      skip_tls_verify: true\n',
      'steps:\n  - name: get\n    executor:\n      type: http\n      config:\n        skipTLSVerify: true\n    command: GET https://example.org\n'
    ))
  it('actions that are an executor, a call or a command here are one', () => {
    translatedTo(
      'steps:\n  - action: http.request\n    with:\n      method: post\n      url: https://example.org\n      timeout: 5\n',
      'steps:\n  - executor:\n      type: http\n      config:\n        timeout: 5\n    command: POST https://example.org\n'
    )
    translatedTo(
      'steps:\n  - action: dag.run\n    with:\n      dag: child\n      params:\n        A: "1"\n    parallel:\n      items: [x]\n      max_concurrent: 2\n',
      'steps:\n  - call: child\n    parallel:\n      items: [x]\n      maxConcurrent: 2\n    params:\n      A: "1"\n'
    )
    translatedTo(
      'steps:\n  - action: jq.filter\n    with:\n      filter: .a\n      data:\n        a: 1\n',
      'steps:\n  - executor:\n      type: jq\n    command: .a\n    script: \'{"a":1}\'\n'
    )
    translatedTo(
      'steps:\n  - action: exec\n    with:\n      command: /bin/echo\n      args: [a]\n',
      'steps:\n  - command:\n      - /bin/echo\n      - a\n'
    )
    translatedTo(
      'steps:\n  - action: wait.duration\n    with:\n      duration: 1m30s\n',
      'steps:\n  - executor:\n      type: sleep\n      config:\n        for: PT1M30S\n'
    )
    translatedTo('steps:\n  - action: noop\n', 'steps:\n  - command: "true"\n')
  })
  it('an action without a counterpart is named with its line and what to do; the text stays', () => {
    const text = 'steps:\n  - name: a\n    action: s3.upload\n    with: {bucket: b}\n'
    expect(translated(text, around)).to.deep.equal({
      text,
      changes: [
        {
          kind: 'left',
          line: 3,
          text: 'action s3.upload has no counterpart here',
          advice: 'write a command: aws s3, rclone or mc',
          paths: ['steps[0].action', 'steps[0].with', 'steps[0].command']
        }
      ],
      schemas: []
    })
  })
  it('labels are tags, typed schedules their text, params with a default a map', () => {
    translatedTo('labels: [a, b]\nsteps: [echo a]\n', 'tags: [a, b]\nsteps: [echo a]\n')
    translatedTo('labels:\n  env: prod\nsteps: [echo a]\n', 'tags:\n  - env=prod\nsteps: [echo a]\n')
    translatedTo(
      'schedule:\n  - kind: cron\n    expression: 0 2 * * *\nsteps: [echo a]\n',
      'schedule:\n  - 0 2 * * *\nsteps: [echo a]\n'
    )
    translatedTo(
      'params:\n  - name: DAY\n    default: today\nsteps: [echo a]\n',
      'params:\n  - DAY: today\nsteps: [echo a]\n'
    )
  })
  it('a start at one instant is named', () => {
    const { text, changes } = translated('schedule:\n  - at: 2027-01-01T00:00:00Z\nsteps: [echo a]\n', around)
    expect(text).to.contain('steps')
    expect(changes.map(({ kind, line }) => [kind, line])).to.deep.equal([['left', 2]])
  })
  it('scoped references are the name alone; others are noted once', () => {
    const { text, changes } = translated(
      'steps:\n  - command: echo ${params.A} ${steps.x.outputs.y} ${steps.x.outputs.y}\n',
      around
    )
    expect(text).to.contain('echo ${A} ${steps.x.outputs.y}')
    expect(changes.map(({ kind }) => kind)).to.deep.equal(['translated', 'note'])
  })
  it('texts that no parser should see are left to the reader', () => {
    for (const text of ['a: &a [*a]\n', `${'['.repeat(500)}`, 'a: b: c\n', '', '- 1\n', '\0'])
      expect(translated(text, around).text).to.equal(text)
  })
})
