/** Names, ids, errors and values of any length: nothing is cut off, and nothing buries what follows. Source: docs/page.md. */
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { inTurn, ofAll } from '../../support/long.ts'
import { keepPicture, seriousFindings } from '../../support/page/browser.ts'
import { cutText } from '../../support/page/cut-text.ts'
import { livePage, runAddress } from '../../support/page/live-page.ts'

const NAME = 'extract_and_load_all_orders_of_the_world' // 40 letters, the most there are
const ID = 'r'.repeat(64)
const STEP = `load_${'orders'.repeat(40)}`
const TAG = `team=${'platform'.repeat(20)}`
const QUEUE = `queue-${'x'.repeat(120)}`
const BIG = 'v'.repeat(100_000)

/** Every text of the author is long, and most have no space where a line could break. */
const HOSTILE = `name: ${NAME}
description: ${'about'.repeat(400)}
tags: [${TAG}, ${Array.from({ length: 30 }, (_, at) => `tag-number-${at}`).join(', ')}]
queue: ${QUEUE}
schedule: [${Array.from({ length: 20 }, (_, at) => `"${at} 3 1 1 *"`).join(', ')}]
params: "WHERE=${'p'.repeat(20_000)}"
type: graph
preconditions: [{condition: "${'1'.repeat(600)}", expected: "${'1'.repeat(600)}"}]
steps:
  - name: ${STEP}
    description: ${'why'.repeat(300)}
    command: head -c 100000 /dev/zero | tr '\\0' v
    output: RESULT_${'OF'.repeat(40)}
  - name: lines
    command: seq 1 20000
    output: LINES
${Array.from({ length: 40 }, (_, at) => `  - {name: quick_${'q'.repeat(60)}_${at}, command: "true"}`).join('\n')}
  - name: breaks
    description: ${'why'.repeat(300)}
    command: echo "${'e'.repeat(3_000)}" >&2; exit 7
    depends: [${STEP}, lines, ${Array.from({ length: 40 }, (_, at) => `quick_${'q'.repeat(60)}_${at}`).join(', ')}]
  - name: calls
    call: called_${'c'.repeat(30)}
    params: "ITEM=${'i'.repeat(2_000)}"
    depends: [lines]
    continueOn: {failure: true}
`
const CALLED = `steps:
  - {name: inner_${'s'.repeat(100)}, command: "echo ${'no'.repeat(200)} >&2; exit 1"}
`
const BROKEN = `steps:
  - name: a
    command: "true"
    ${'colour'.repeat(60)}: red
    depends: [${'missing'.repeat(60)}]
`

/** For thirty views, each of them loaded. */
const TIMEOUT_MS = 600_000
const SHORTEN = `for (const text of document.querySelectorAll('.long, pre')) text.textContent = text.textContent.slice(0, 1_000)`

describe('page › long names, ids, errors and values', () => {
  let page: Page
  // Before the server is closed.
  after(async () => {
    await api.call('POST', `/dag-runs/blocked/${'z'.repeat(64)}/dequeue`)
    await api.call('POST', `/dag-runs/blocked/${'w'.repeat(64)}/stop`)
    await api.ended('blocked', 'w'.repeat(64))
  })
  const { api, visit, button } = livePage((opened) => {
    page = opened
  })
  let subId = ''

  before(async () => {
    api.write('hostile', HOSTILE)
    api.write(`called_${'c'.repeat(30)}`, CALLED)
    api.write(`broken-${'b'.repeat(100)}`, BROKEN)
    await api.started('hostile', { dagRunId: ID })
    const { nodes } = await api.ended(NAME, ID)
    subId = nodes.find(({ step }: { step: { name: string } }) => step.name === 'calls').subRuns[0].dagRunId
    api.write('blocked', `name: blocked\nqueue: ${QUEUE}\nsteps: [{name: ${STEP}, command: sleep 600}]\n`)
    await api.started('blocked', { dagRunId: 'w'.repeat(64) })
    await api.call('POST', '/dags/blocked/enqueue', { body: { dagRunId: 'z'.repeat(64) } })
  })

  const views = (): [name: string, address: string, button?: RegExp][] => {
    const of = (query: string) => runAddress(NAME, ID, query)
    const step = encodeURIComponent(STEP)
    return [
      ['runs', '#/runs'],
      ['runs of a name', `#/runs?name=${NAME}&status=2`],
      ['no runs', `#/runs?name=${'n'.repeat(300)}`],
      ['definitions', '#/definitions'],
      ['definitions of a tag', `#/definitions?tag=${encodeURIComponent(TAG)}`],
      ['definition', '#/definitions/hostile'],
      ['definition text', '#/definitions/hostile?tab=text'],
      ['definition runs', '#/definitions/hostile?tab=runs'],
      ['start', '#/definitions/hostile', /^Start/],
      ['broken', `#/definitions/broken-${'b'.repeat(100)}`],
      ['no definition', `#/definitions/${'n'.repeat(300)}`],
      ['queues', '#/queues'],
      ['no machine', `#/machines/${'m'.repeat(300)}`],
      ['run', of('')],
      ['run steps', of('?view=steps')],
      ['run events', of(`?view=events&step=${step}`)],
      ['run messages', of('?view=messages')],
      ['run log', of('?side=out')],
      ['run chart', of('?side=chart')],
      ['run then', of('?at=3')],
      ['step', of(`?step=${step}`)],
      ['step log', of(`?step=${step}&side=out`)],
      ['step chart', of(`?step=${step}&side=chart`)],
      ['failed step', of('?step=breaks')],
      ['failed step errors', of('?step=breaks&side=err')],
      ['calling step', of('?step=calls')],
      ['calling step chart', of('?step=calls&side=chart')],
      ['sub run', runAddress(`called_${'c'.repeat(30)}`, subId)],
      ['waiting run', runAddress('blocked', 'z'.repeat(64))],
      ['stop', runAddress('blocked', 'w'.repeat(64)), /^Stop/],
      ['no run', runAddress(NAME, 'x'.repeat(64))]
    ]
  }
  const LOOKS: readonly (readonly [number, 'light' | 'dark'])[] = [
    [1440, 'light'],
    [1024, 'dark'],
    [390, 'light']
  ]
  for (const [turn, [width, colorScheme]] of ofAll(LOOKS.slice(1), LOOKS).entries())
    it(`at ${width} px nothing is cut off, and no view is longer than a few screens`, async function () {
      this.timeout(TIMEOUT_MS)
      await page.setViewportSize({ width, height: 900 })
      await page.emulateMedia({ colorScheme })
      const faults: string[] = []
      for (const [name, address, pressed] of inTurn(turn, 2, views())) {
        await visit('#/machines/x')
        await visit(address)
        await page.locator('h1').first().waitFor()
        await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' })
        if (pressed) await button(pressed).first().click()
        await page.waitForTimeout(200)
        await keepPicture(page, `hostile ${width} ${name}`)
        const height = await page.evaluate<number>('document.documentElement.scrollHeight')
        if (height > 6_000) faults.push(`${name}: ${height} px high`)
        for (const fault of await cutText(page)) faults.push(`${name}: ${fault}`)
        if (colorScheme !== 'dark') continue
        // The checker measures each line of a text, for minutes.
        await page.evaluate(SHORTEN)
        for (const fault of await seriousFindings(page)) faults.push(`${name}: ${fault}`)
      }
      expect(faults).to.deep.equal([])
    })

  it('all of a value of 100 KB can be read', async () => {
    await visit(runAddress(NAME, ID))
    await button('Close: show the run').click()
    const output = page.getByRole('group', { name: /^RESULT_/ })
    await output.waitFor()
    expect((await output.textContent())?.length).to.equal(BIG.length)
    const { height } = (await output.boundingBox()) ?? { height: 0 }
    expect(height).to.be.within(40, 400)
    await output.evaluate('element => { element.scrollTop = element.scrollHeight }')
  })
})
