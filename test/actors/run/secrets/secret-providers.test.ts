/** Secrets that a program prints, or that the host application knows. Source: docs/secrets.md. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Secret } from '../../../../machines/vocabulary.ts'
import { resolveSecrets } from '../../../../src/actors/run/secrets/resolve-secrets.ts'
import { openSecretProviders } from '../../../../src/actors/run/secrets/secret-providers.ts'
import type { HostSecrets, SecretRequest } from '../../../../src/executors/custom/host-secrets.ts'
import { temporaryFolder } from '../../../support/homes.ts'
import { simulatedClock } from '../../../support/simulated/simulated-clock.ts'

const folder = temporaryFolder()
const run = { name: 'nightly', dagRunId: 'r1' }
const command = (key: string, options?: Record<string, string>): Secret => ({
  name: 'A',
  provider: 'command',
  key,
  ...(options ? { options } : {})
})
const sourcesWith = (own: Record<string, string> = {}, signal?: AbortSignal) => ({
  own,
  environment: { PATH: process.env.PATH ?? '', SET: 'server' },
  workingDir: folder,
  defaultShell: 'sh',
  run,
  signal
})
const secretOf = async (secret: Secret, providers = openSecretProviders(), sources = sourcesWith()) =>
  (await resolveSecrets({ secrets: [secret] }, sources, providers)).values.A
const failure = (secret: Secret, providers?: ReturnType<typeof openSecretProviders>, sources = sourcesWith()) =>
  secretOf(secret, providers, sources).then(
    (value) => `resolved: ${value}`,
    ({ message }: Error) => message
  )
const START = 'failed to resolve secrets: secret "A": '

describe('secrets of the provider command', () => {
  it('are what it prints, without one line break at the end; it works in the folder of the run', async () => {
    expect(await secretOf(command('printf "a b \\n\\n"'))).to.equal('a b \n')
    writeFileSync(join(folder, 'here'), 'found')
    expect(await secretOf(command('cat here'))).to.equal('found')
  })
  it('it sees the variables of the server and of the DAG, which hide those', async () => {
    expect(await secretOf(command('echo $SET-$OWN'), undefined, sourcesWith({ OWN: 'mine' }))).to.equal('server-mine')
    expect(await secretOf(command('echo $SET'), undefined, sourcesWith({ SET: 'mine' }))).to.equal('mine')
  })
  it('a failure says how it ended and what it said on stderr, never what it printed', async () => {
    expect(await failure(command('echo tulip; echo "no such path" >&2; exit 3'))).to.equal(
      `${START}the command fails: exit status 3: no such path`
    )
    expect(await failure(command('true'))).to.equal(`${START}the command prints nothing`)
    expect(await failure(command("printf '\\351'"))).to.equal(
      `${START}the command prints no UTF-8 text; have it encoded`
    )
    expect(await failure(command("printf 'a\\000b'"))).to.contain('holds a NUL character')
    expect(await failure(command('yes'))).to.equal(`${START}the command prints more than 1048576 bytes`)
  })
  it('a failure shows no value of another secret, wherever that one is listed, nor what it has itself printed', async () => {
    const path = join(folder, 'other')
    writeFileSync(path, 'tulip-4711-value\nsecond-line')
    const failing = (text: string): Secret => ({ name: 'S', provider: 'command', key: `${text}; exit 3` })
    const failed = (...secrets: Secret[]) =>
      resolveSecrets({ secrets }, sourcesWith({ OWN: 'tulip-4711-value' })).then(
        () => 'resolved',
        ({ message }: Error) => message
      )
    const start = 'failed to resolve secrets: secret "S": the command fails: exit status 3: '
    const says = failing('echo token tulip-4711-value is bad >&2')
    const others: Secret[] = [
      command('echo tulip-4711-value'),
      { name: 'A', provider: 'file', key: path },
      { name: 'A', provider: 'env', key: 'OWN' }
    ]
    for (const other of others)
      expect(await failed(other, says), other.provider).to.equal(`${start}token ******* is bad`)
    for (const other of others.slice(1))
      expect(await failed(says, other), `${other.provider}, listed later`).to.equal(`${start}token ******* is bad`)
    expect(await failed(failing('echo tulip-own; echo bad: tulip-own >&2'))).to.equal(`${start}bad: *******`)
    expect(await failed(failing(`printf 'a-line\\nb-line'; echo only b-line >&2`))).to.equal(`${start}only *******`)
    const end = 'x'.repeat(295)
    const cut = await failed(command('echo tulip-4711-value'), failing(`echo tulip-4711-value${end} >&2`))
    expect(cut, 'only a part of the value is among what is quoted').to.equal(`${start}*****${end}`)
    const host = openSecretProviders({
      host: ({ key }) => {
        if (key === 'first') return 'tulip-of-the-host'
        throw new Error('no second for tulip-of-the-host')
      }
    })
    const asked = ['first', 'second'].map((key): Secret => ({ name: key, provider: 'host', key }))
    const refused = await resolveSecrets({ secrets: asked }, sourcesWith(), host).catch(({ message }) => message)
    expect(refused).to.equal('failed to resolve secrets: secret "second": no second for *******')
  })
  it('one that takes longer than timeoutSec is ended, and so is one whose run is stopped', async () => {
    expect(await failure(command('sleep 600; true', { timeoutSec: '0.05' }))).to.equal(
      `${START}it took longer than 0.05 s; give it another options.timeoutSec`
    )
    const stop = new AbortController()
    const failed = failure(command('sleep 600'), undefined, sourcesWith({}, stop.signal))
    stop.abort(new Error('the run is stopped'))
    expect(await failed).to.equal(`${START}the run is stopped`)
  })
  it('with cacheSec it is asked again when that is over, or by other variables; a failure is not remembered', async () => {
    const clock = simulatedClock()
    const providers = openSecretProviders({ clock })
    const count = join(folder, 'count')
    const text = `echo x >>${count}; wc -l <${count}`
    const asked = (cacheSec: string, own?: Record<string, string>) =>
      secretOf(command(text, { cacheSec, timeoutSec: '60' }), providers, sourcesWith(own)).then((value) =>
        value?.trim()
      )
    expect([await asked('60'), await asked('60'), await asked('60', { OWN: 'x' })]).to.deep.equal(['1', '1', '2'])
    expect(await asked('0')).to.equal('3')
    clock.goTo(clock.now() + 60_000)
    expect(await asked('60')).to.equal('4')
    const flag = join(folder, 'flag')
    const flaky = command(`test -f ${flag} && echo there`, { cacheSec: '60' })
    expect(await failure(flaky, providers)).to.contain('exit status 1')
    writeFileSync(flag, '')
    expect(await secretOf(flaky, providers)).to.equal('there')
    expect(readFileSync(count, 'utf8')).to.equal('x\n'.repeat(4))
  })
})

describe('secrets of the provider host', () => {
  const host = (key: string, options?: Record<string, string>): Secret => ({
    name: 'A',
    provider: 'host',
    key,
    ...(options ? { options } : {})
  })
  const by = (secrets: HostSecrets) => openSecretProviders({ host: secrets })

  it('the application is told name, key, options and run, and gives the value', async () => {
    const asked: SecretRequest[] = []
    const providers = by(async (request) => {
      asked.push(request)
      return 'tulip'
    })
    expect(await secretOf(host('ci/token', { field: 'value', timeoutSec: '5' }), providers)).to.equal('tulip')
    expect(asked.map(({ signal, ...request }) => [request, signal.aborted])).to.deep.equal([
      [{ name: 'A', key: 'ci/token', options: { field: 'value' }, run }, false]
    ])
  })
  it('a failure names what is missing: the application, the value, or a text', async () => {
    expect(await failure(host('k'))).to.contain(`${START}this program was given no \`secrets\``)
    expect(
      await failure(
        host('k'),
        by(() => undefined)
      )
    ).to.equal(`${START}the application has no secret k`)
    expect(
      await failure(
        host('k'),
        by(() => 5 as unknown as string)
      )
    ).to.equal(`${START}the application gave no text for k, but number`)
    const refusing = () => {
      throw new Error('the vault is sealed')
    }
    expect(await failure(host('k'), by(refusing))).to.equal(`${START}the vault is sealed`)
  })
  it('an application that never answers is waited for until timeoutSec is over', async () => {
    const signals: AbortSignal[] = []
    const never = by(({ signal }) => {
      signals.push(signal)
      return new Promise(() => {})
    })
    expect(await failure(host('k', { timeoutSec: '0.05' }), never)).to.contain('it took longer than 0.05 s')
    expect(signals.map(({ aborted }) => aborted)).to.deep.equal([true])
  })
})
