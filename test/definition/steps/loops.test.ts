/** Loops and fan-outs whose code is in the host application, in the words of the format. Source: docs/executors/function.md. */
import { expect } from 'chai'
import { messagesOf, oneStep, stepOf } from '../reading.ts'

const call = (...lines: string[]) => oneStep('call: other', ...lines)

describe('reader › a function that decides about another pass', () => {
  it('repeatPolicy.function stands in place of a condition, with while or until', () => {
    expect(
      stepOf(oneStep('command: "true"', 'repeatPolicy: {repeat: until, function: order/ready, limit: 3}')).repeat
    ).to.deep.equal({
      mode: 'until',
      function: 'order/ready',
      exitCodes: [],
      intervalMs: 0,
      limit: 3,
      backoff: 1,
      maxIntervalMs: 0
    })
    expect(stepOf(oneStep('command: "true"', 'repeatPolicy: {function: order/ready}')).repeat?.mode).to.equal('while')
  })
  it('beside a condition, an expected text or an exit code it is refused, and so are variables in its name', () => {
    expect(
      messagesOf(
        oneStep(
          'command: "true"',
          'repeatPolicy: {repeat: until, function: "$F", condition: a, expected: b, exitCode: 1}'
        )
      )
    ).to.deep.equal([
      'field \'function\': must be the name itself, without variables (value: "$F")',
      "field 'condition': function and condition are exclusive",
      "field 'expected': function and expected are exclusive",
      "field 'exitCode': function and exitCode are exclusive"
    ])
  })
})

describe('reader › pages of items', () => {
  const rows = (...lines: string[]) => oneStep('executor: {type: function, config: {name: row}}', ...lines)
  it('each.pages makes a pass of each page, which goes on while pages succeed', () => {
    const { each, repeat } = stepOf(
      rows('each: {pages: 50, maxConcurrent: 2, collect: total}', 'functions: {items: rows}')
    )
    expect(each).to.deep.equal({ maxConcurrent: 2, pages: 50, collect: 'total' })
    expect(repeat).to.include({ mode: 'while', limit: 0, intervalMs: 0 })
  })
  it('pages that nobody answers for, too many of them, and a repeatPolicy beside them are refused', () => {
    expect(messagesOf(rows('each: {pages: 5, items: [1]}'))).to.deep.equal([
      "field 'pages': pages are asked for: each needs functions.items for them"
    ])
    expect(messagesOf(rows('each: {collect: f}', 'functions: {items: rows}'))).to.deep.equal([
      "field 'collect': has an effect on pages only: without them the result is the list of results"
    ])
    expect(
      messagesOf(rows('each: {pages: 101}', 'functions: {items: rows}', 'repeatPolicy: {repeat: true}'))
    ).to.deep.equal([
      "field 'pages': must be an integer from 1 to 100 (value: 101)",
      "field 'repeatPolicy': repeatPolicy and the pages of each are exclusive"
    ])
  })
})

describe('reader › pages of items in a handler', () => {
  it('are refused: a handler does not repeat', () => {
    const handler = '{executor: {type: function, config: {name: row}}, each: {pages: 2}, functions: {items: rows}}'
    expect(messagesOf(`steps: ["true"]\nhandlerOn: {exit: ${handler}}\n`)).to.deep.equal([
      "field 'exit': a handler does not repeat, so its items cannot come in pages"
    ])
  })
})

describe('reader › items of a call that a function answers', () => {
  it('functions.items of a call is one call for each, ten at a time unless parallel says another number', () => {
    const { parallel, each, functions } = stepOf(call('functions: {items: order/parts}'))
    expect([parallel, each, functions]).to.deep.equal([{ maxConcurrent: 10 }, undefined, { items: 'order/parts' }])
    expect(stepOf(call('functions: {items: order/parts}', 'parallel: {maxConcurrent: 3}')).parallel).to.deep.equal({
      maxConcurrent: 3
    })
  })
  it('items from two places are refused, as are params of the call', () => {
    expect(messagesOf(call('parallel: [a]', 'functions: {items: f}'))).to.deep.equal([
      "field 'parallel': items and functions.items are exclusive"
    ])
    expect(messagesOf(call('functions: {items: f, params: g}'))).to.deep.equal([
      "field 'params': items are the params of each call, so params has no effect"
    ])
    expect(messagesOf(call('parallel: {maxConcurrent: 3}'))).to.deep.equal([
      "field 'items': parallel needs items: a list, or a text with a variable"
    ])
  })
})
