/** Steps that call workflows. Source: execution-semantics 9.1, 9.2, 9.4. */
import { expect } from 'chai'
import { oneStep, stepWith, warningsOf, wrongWith } from './reading.ts'

describe('reader › sub workflows (execution-semantics 9.1, 9.2, 9.4)', () => {
  it('9.1.1 call: a name or a path, kept as written', () => {
    const step = stepWith('call: "${KID}/x"')
    expect(step).to.deep.include({ call: '${KID}/x', executor: { type: 'dag', config: {} } })
    expect(step).not.to.have.property('command')
  })
  it('1.6 run is another name of call, with a warning; call wins', () => {
    expect(stepWith('run: kid').call).to.equal('kid')
    expect(stepWith('run: kid', 'call: other').call).to.equal('other')
    expect(warningsOf('steps: [{run: kid}]')).to.deep.equal([
      'steps[0].run: step field `run` is deprecated, use `call`'
    ])
    expect(warningsOf('steps: [{call: kid}]')).to.deep.equal([])
  })
  it('9.1.5 executor dag or subworkflow with command equals call', () => {
    for (const executor of ['dag', 'subworkflow', '{type: dag}']) {
      const step = stepWith('command: kid', `executor: ${executor}`)
      expect(step, executor).to.deep.include({ call: 'kid', executor: { type: 'dag', config: {} } })
      expect(step).not.to.have.property('command')
    }
    expect(wrongWith('executor: dag')).to.deep.equal(["field 'call': the name of a workflow is required"])
    expect(wrongWith('call: ""')).to.deep.equal(["field 'call': the name of a workflow is required"])
  })
  it('call and another executor are exclusive; what a call makes idle is warned of', () => {
    expect(wrongWith('call: kid', 'executor: shell')).to.deep.equal([
      "field 'call': call and executor shell are exclusive"
    ])
    expect(warningsOf(oneStep('call: kid', 'command: x', 'script: y'))).to.deep.equal([
      'steps[0].command: has no effect on a step that calls a workflow',
      'steps[0].script: has no effect on a step that calls a workflow'
    ])
  })
  it('9.2.1 params of a step: string, list or map; schema is an ordinary name there', () => {
    const paramsOf = (text: string) =>
      stepWith('call: kid', `params: ${text}`).params?.map((p) => `${p.name}=${p.value}`)
    expect(paramsOf('one A="x y"')).to.deep.equal(['1=one', 'A=x y'])
    expect(paramsOf('[{A: "${B}"}, two]')).to.deep.equal(['A=${B}', '2=two'])
    expect(paramsOf('{A: 1, B: {c: d}}')).to.deep.equal(['A=1', 'B={"c":"d"}'])
    expect(paramsOf('{schema: x}')).to.deep.equal(['schema=x'])
    expect(stepWith('call: kid')).not.to.have.property('params')
  })
  it('2.2.5, 9.2.1 params of a step that are a JSON object set by key, as they are written; other text in braces is refused', () => {
    const paramsOf = (text: string) => stepWith('call: kid', `params: ${text}`).params
    expect(paramsOf(`'{"A":"${'${W}'}", "N": 1.10, "L": ["${'${W}'}"]}'`)).to.deep.equal([
      { name: 'A', value: '${W}', positional: false },
      { name: 'N', value: '1.10', positional: false },
      { name: 'L', value: '["${W}"]', isJson: true, positional: false }
    ])
    expect(paramsOf(`[{B: 1}, '{"A":"x"}', "[y]"]`)?.map((p) => `${p.name}=${p.value}`)).to.deep.equal([
      'B=1',
      'A=x',
      '3=[y]'
    ])
    expect(paramsOf(`'["x y", {"A":"z"}]'`)?.map((p) => `${p.name}=${p.value}`)).to.deep.equal(['1=x', '2=y', 'A=z'])
    expect(paramsOf('"${W}"')).to.deep.equal([{ name: '1', value: '${W}', positional: true }])
    expect(wrongWith('call: kid', `params: '{"N":${'${N}'}}'`)[0]).to.contain("field 'params': must be words, or JSON")
  })
  it('4.2, 10: shell and shellPackages are warned of where no shell of this machine reads the command', () => {
    const idle = (executor: string, ...lines: string[]) =>
      warningsOf(oneStep('command: GET http://h', `executor: ${executor}`, ...lines))
    expect(idle('{type: docker, config: {image: i}}', 'shell: bash')).to.deep.equal([
      'steps[0].shell: has no effect on a step of the executor docker'
    ])
    expect(idle('http', 'shell: [bash, -e]', 'shellPackages: [jq]')).to.deep.equal([
      'steps[0].shell: has no effect on a step of the executor http',
      'steps[0].shellPackages: has no effect on a step of the executor http'
    ])
    expect(warningsOf(`container: {image: i}\n${oneStep('command: x', 'shell: bash')}`)).to.deep.equal([
      'steps[0].shell: has no effect on a step of the executor docker'
    ])
    expect(warningsOf(`container: {image: i}\nshell: bash\n${oneStep('command: x')}`)).to.deep.equal([])
    expect(warningsOf(oneStep('call: kid', 'shell: bash'))).to.deep.equal([
      'steps[0].shell: has no effect on a step that calls a workflow'
    ])
    expect(idle('shell', 'shell: bash', 'shellPackages: [jq]')).to.deep.equal([])
  })
  it('10.3.6 shell of a step over ssh is that of its script, and warned of without one', () => {
    const over = (...lines: string[]) => warningsOf(`ssh: {host: h, user: u}\n${oneStep('shell: bash', ...lines)}`)
    expect(over('script: x')).to.deep.equal([])
    expect(over('command: x')).to.deep.equal(['steps[0].shell: has no effect on a step over ssh without a script'])
  })
  it('params on a step that calls nothing are warned of', () => {
    expect(warningsOf(oneStep('command: x', 'params: A=1'))).to.deep.equal([
      'steps[0].params: has no effect on a step that neither calls a workflow nor is an action'
    ])
  })

  const parallelOf = (text: string) => stepWith('call: kid', `parallel: ${text}`).parallel
  it('9.4.2 parallel needs items: what has neither a list nor a text is refused; an empty list fails its node (9.4.6)', () => {
    const lacks = ["field 'items': parallel needs items: a list, or a text with a variable"]
    for (const text of ['', '~', '{}', '{items: }', '{items: null, maxConcurrent: 2}', '{maxConcurrent: 2}'])
      expect(wrongWith('call: kid', `parallel: ${text}`), text).to.deep.equal(lacks)
    expect(wrongWith('call: kid', 'Parallel:'), 'any case').to.deep.equal(lacks)
    for (const text of ['""', '" "', '{items: ""}'])
      expect(wrongWith('call: kid', `parallel: ${text}`), text)
        .to.have.length(1)
        .and.satisfy(([one]: string[]) => one?.includes('parallel items must be a list, or a text with a variable'))
    expect(parallelOf('[]')).to.deep.equal({ items: [], maxConcurrent: 10 })
    expect(parallelOf('{items: []}')).to.deep.equal({ items: [], maxConcurrent: 10 })
  })
  it('9.4.1 parallel only with call', () => {
    expect(wrongWith('command: x', 'parallel: [1]')).to.deep.equal([
      "field 'parallel': parallel execution is only supported for child-DAGs (must have 'run' field)"
    ])
    expect(stepWith('command: kid', 'executor: dag', 'parallel: [a]')).to.deep.include({ call: 'kid' })
  })
  it('9.4.2 forms: list; text; {items: list or text, maxConcurrent}', () => {
    expect(parallelOf('[a, 1.10, {k: v, n: 2}]')).to.deep.equal({
      items: ['a', '1.10', { k: 'v', n: '2' }],
      maxConcurrent: 10
    })
    expect(parallelOf('"${ITEMS}"')).to.deep.equal({ items: '${ITEMS}', maxConcurrent: 10 })
    expect(parallelOf('{items: [a], maxConcurrent: 2, other: ignored}')).to.deep.equal({
      items: ['a'],
      maxConcurrent: 2
    })
    expect(parallelOf('{items: "${X}"}')?.items).to.equal('${X}')
  })
  it('9.4.2 nested values: error', () => {
    for (const text of ['[[a]]', '[{a: {b: c}}]', '[{a: [b]}]', '[null]', '{items: [[a]]}', '{items: {a: b}}', '{}']) {
      expect(wrongWith('call: kid', `parallel: ${text}`), text).to.have.length(1)
    }
  })
  it('9.4.3 maxConcurrent must be greater than 0, at most 1000', () => {
    expect(wrongWith('call: kid', 'parallel: {items: [a], maxConcurrent: 0}')).to.deep.equal([
      "field 'maxConcurrent': maxConcurrent must be greater than 0 (value: 0)"
    ])
    expect(parallelOf('{items: [a], maxConcurrent: 1000}')?.maxConcurrent).to.equal(1000)
    expect(wrongWith('call: kid', 'parallel: {items: [a], maxConcurrent: 1001}')).to.have.length(1)
  })
})
