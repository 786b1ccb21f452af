/** Groups of steps in folders that mimic a cgroup v2: what is written, what is told, what is refused by name. Source: docs/operating/limits.md "Memory, processors, processes". */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { makePlace, ownGroup } from '../../../src/executors/limits/cgroup-place.ts'
import { openStepGroups } from '../../../src/executors/limits/step-groups.ts'
import { temporaryFolder } from '../../support/homes.ts'

const ALL = ['memory', 'cpu', 'pids']
const END = { exitCode: -1, signal: 'killed', at: 1, offset: 0 }

/** A folder with the files that the kernel has in one. */
function group(controllers = 'cpuset cpu io memory pids', at = temporaryFolder()): string {
  mkdirSync(at, { recursive: true })
  for (const [file, text] of Object.entries({ controllers, type: 'domain\n', procs: '', subtree_control: '' }))
    writeFileSync(join(at, `cgroup.${file}`), text)
  return at
}
const textOf = (...path: string[]) => readFileSync(join(...path), 'utf8')

describe('steps.limits › where groups lie', () => {
  it('the group of this process, where a cgroup v2 is mounted, whole or in part', () => {
    const proc = (mounts: string, groups: string) => {
      const folder = temporaryFolder()
      writeFileSync(join(folder, 'mountinfo'), mounts)
      writeFileSync(join(folder, 'cgroup'), groups)
      return folder
    }
    const v1 = '30 25 0:26 / /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids\n'
    const mount = (root: string) => `${v1}35 25 0:30 ${root} /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw\n`
    expect(ownGroup(proc(mount('/'), '9:pids:/x\n0::/system.slice/troupe.service\n'))).to.equal(
      '/sys/fs/cgroup/system.slice/troupe.service'
    )
    expect(ownGroup(proc(mount('/'), '0::/a/troupe-engine\n')), 'moved before').to.equal('/sys/fs/cgroup/a')
    expect(ownGroup(proc(mount('/docker/1'), '0::/docker/1/sub\n'))).to.equal('/sys/fs/cgroup/sub')
    expect(() => ownGroup(proc(v1, '9:pids:/x\n'))).to.throw('this system has no cgroup v2')
  })
  it('the engine goes into a group beside the steps, and controllers are switched on', () => {
    const base = group()
    const place = makePlace(base, true, 'troupe-1', ALL)
    expect(place).to.equal(join(base, 'troupe-1'))
    expect(textOf(base, 'troupe-engine', 'cgroup.procs')).to.equal(String(process.pid))
    expect([textOf(base, 'cgroup.subtree_control'), textOf(place, 'cgroup.subtree_control')]).to.deep.equal(
      Array(2).fill('+memory +cpu +pids')
    )
    const named = group()
    makePlace(named, false, 'troupe-1', ['pids'])
    expect(existsSync(join(named, 'troupe-engine')), 'it is not in a named one').to.equal(false)
  })
  it('what is lacking is named', () => {
    expect(() => makePlace(temporaryFolder(), false, 'x', ALL)).to.throw(/ is no folder of a cgroup v2$/)
    const poor = group('hugetlb pids\n')
    expect(() => makePlace(poor, false, 'x', ALL)).to.throw(
      `the cgroup ${poor} has no controller for memory, cpu, only hugetlb, pids`
    )
    const readOnly = group()
    rmSync(join(readOnly, 'cgroup.subtree_control'))
    mkdirSync(join(readOnly, 'cgroup.subtree_control'))
    expect(() => makePlace(readOnly, false, 'x', ALL)).to.throw(`the cgroup ${readOnly} cannot be used`)
  })
})

describe('steps.limits › the group of an execution', () => {
  const state = '/logs/a/1/step.1'

  it('gets its limits in the words of the kernel, and the same name after a restart', () => {
    const place = temporaryFolder()
    const folder = openStepGroups(place).make(state, { memory: 64 * 1024 ** 2, cpu: 1.5, pids: 20 })
    expect(readdirSync(place)).to.have.length(1)
    expect(['memory.max', 'cpu.max', 'pids.max'].map((file) => textOf(folder, file))).to.deep.equal([
      '67108864',
      '150000 100000',
      '20'
    ])
    expect(openStepGroups(place).make(state, { cpu: 0.001 })).to.equal(folder)
    expect(textOf(folder, 'cpu.max'), 'the least that the kernel takes').to.equal('1000 100000')
  })
  it('a limit that stood in the way is told by name; another failure, and a success, are not', () => {
    const place = temporaryFolder()
    const { make, over } = openStepGroups(place)
    const folder = make(state, { memory: 64 * 1024 ** 2, pids: 20 })
    expect(over(state, END)).to.deep.equal(END)
    writeFileSync(join(folder, 'pids.events'), 'max 3\n')
    expect(over(state, { ...END, exitCode: 2 }).limit).to.equal('it wanted more processes than steps.limits.pids (20)')
    writeFileSync(join(folder, 'memory.events'), 'low 0\nmax 12\noom 1\noom_kill 2\n')
    expect(over(state, END).limit).to.equal('out of memory, as it needed more than steps.limits.memory (64MiB)')
    expect(over(state, { ...END, exitCode: 0 })).not.to.have.property('limit')
    expect(over('/logs/other.1', END), 'it had none').to.deep.equal(END)
  })
  it('a program that no launcher begins enters one by itself, or does not begin; its end tells of the limit, too', () => {
    const groups = openStepGroups(temporaryFolder())
    const { words, over } = groups.enter({ pids: 7 })
    const folder = words.at(-1) ?? ''
    expect(textOf(folder, 'pids.max')).to.equal('7')
    const begun = (more: string[]) => spawnSync(words[0] ?? '', [...words.slice(1), ...more], { encoding: 'utf8' })
    expect(begun(['cat', join(folder, 'cgroup.procs')]).stdout, 'as the kernel wants it').to.equal('0\n')
    expect(begun(['sh', '-c', 'echo "$1"; exit 3', 'sh', `it's $x`])).to.include({ status: 3, stdout: `it's $x\n` })
    writeFileSync(join(folder, 'pids.events'), 'max 1\n')
    expect(over({ exitCode: 3 })).to.deep.equal({
      exitCode: 3,
      limit: 'it wanted more processes than steps.limits.pids (7)'
    })
    expect(groups.enter({}).words.at(-1), 'each has its own').not.to.equal(folder)
    rmSync(folder, { recursive: true })
    expect(begun(['echo', 'begun'])).to.include({ status: 126, stdout: '' })
  })
  it('is removed after the end, and those that an engine before has left are removed by the next', () => {
    const place = temporaryFolder()
    const groups = openStepGroups(place)
    groups.make(state, {})
    groups.over(state, END)
    expect(readdirSync(place)).to.deep.equal([])
    groups.make(state, {})
    mkdirSync(join(place, 'of-somebody-else'))
    openStepGroups(place)
    expect(readdirSync(place)).to.deep.equal(['of-somebody-else'])
  })
})
