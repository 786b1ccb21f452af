/** Limits of callers in the configuration: what each of them says, and what is refused by name. Source: docs/operating/limits.md "Callers". */
import { expect } from 'chai'
import { limitsOf } from '../../../src/config.ts'
import { problemsOf, read } from '../reading.ts'

const AUTH = 'auth: {tokens: [{name: ci, value: x}, {name: b, value: y}]}\n'
const limits = (text: string) => read(`${AUTH}limits: {callers: ${text}}`).callerLimits
const problems = (text: string) => problemsOf(() => read(`${AUTH}limits: {callers: ${text}}`))

describe('configuration › limits.callers', () => {
  it('nothing is said: nobody is limited', () => {
    expect(read('').callerLimits).to.deep.equal([])
  })
  it('rates are so many in a second, minute or hour; `none` lifts a limit', () => {
    expect(limits('{everyone: {requests: 20/s, burst: 50, starts: 60/m, runs: 10, streams: none}}')).to.deep.equal([
      {
        who: 'everyone',
        requests: { count: 20, perMs: 1_000, text: '20/s' },
        burst: 50,
        starts: { count: 60, perMs: 60_000, text: '60/m' },
        runs: 10,
        streams: 'none'
      }
    ])
  })
  it('each limit comes from the name, else the role, else everyone; of several names the most counts', () => {
    const all = limits(
      '{everyone: {requests: 2/s, burst: 9, runs: 1, streams: 4}, role:runner: {runs: 5}, token:ci: {requests: 1/m, starts: none}, token:b: {requests: 1/s}}'
    )
    const short = (who: string[], role: 'viewer' | 'runner') => {
      const { requests, ...rest } = limitsOf(all, ['everyone', ...who], role)
      return { ...rest, requests: typeof requests === 'object' ? requests.text : requests }
    }
    expect(short([], 'viewer')).to.deep.equal({ requests: '2/s', burst: 9, runs: 1, streams: 4 })
    expect(short(['token:ci'], 'runner')).to.deep.equal({ requests: '1/m', starts: 'none', runs: 5, streams: 4 })
    expect(short(['token:ci', 'token:b'], 'runner').requests).to.equal('1/s')
  })
  it('all problems are named at once, each with its place', () => {
    expect(
      problems(
        '{token:cd: {runs: 1}, role:boss: {runs: 1}, everyone: {requests: 20, starts: 0/s, runs: 0, pace: 1}, token:ci: 3, token:b: {burst: 5}}'
      )
    ).to.deep.equal([
      'limits.callers: no token has the name of "token:cd"',
      'limits.callers: no role is called "role:boss"',
      'limits.callers: everyone.requests: wanted a rate such as 20/s, 60/m or 500/h, or none, found 20',
      'limits.callers: everyone.starts: wanted a rate such as 20/s, 60/m or 500/h, or none, found "0/s"',
      'limits.callers: everyone.runs: wanted an integer from 1 to 1000000, or none, found 0',
      'limits.callers: everyone: unknown member pace, wanted requests, burst, starts, runs, streams',
      'limits.callers: token:ci: wanted a map such as {requests: 20/s, starts: 60/m, runs: 10, streams: 5}',
      'limits.callers: token:b.burst: wanted requests too, which it is a part of'
    ])
  })
  it('an unknown setting below limits is refused: it could leave a door open', () => {
    const [problem] = problemsOf(() => read('limits: {caller: {}}'))
    expect(problem).to.include('unknown setting limits.caller')
  })
})
