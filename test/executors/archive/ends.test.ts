/** How archive steps end: with which codes, and what is left of one that was cut off. Source: execution-semantics 10.5.10, 13.5.3. */
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { systemClock } from '../../../src/clock.ts'
import { dockerEngine } from '../../../src/executors/docker/connection.ts'
import type { Executor } from '../../../src/executors/executor.ts'
import { openExecutors } from '../../../src/executors/index.ts'
import { capturing } from '../../../src/executors/launcher/capture.ts'
import type { Launcher } from '../../../src/executors/launcher/launcher.ts'
import { archiveBench, archiveInThread, has } from '../../support/executors/archives.ts'
import { benchOf } from '../../support/executors/executions.ts'
import { eventually } from '../../support/waiting.ts'

describe('archive executor', () => {
  const { bench, fresh, perform, tree } = archiveBench(archiveInThread)

  describe('10.5.10: exit codes', () => {
    it('2: what is configured wrongly', async () => {
      for (const [command, config] of [
        ['pack', { source: 'x' }],
        ['extract', {}],
        ['create', { source: tree }],
        ['extract', { source: 'x', stripComponents: -1 }],
        ['extract', { source: 'x', overwrite: 'perhaps' }],
        ['extract', { source: 'x', password: 'p' }],
        ['create', { source: tree, destination: 'x.zip', compressionLevel: 10 }]
      ] as const)
        expect((await perform(command, config)).exitCode, JSON.stringify(config)).to.equal(2)
    })
    it('3: the source is not there', async () => {
      const missing = await perform('list', { source: 'nowhere.zip' })
      expect([missing.exitCode, missing.err]).to.deep.equal([
        3,
        `source "${join(bench.folder, 'nowhere.zip')}" does not exist\n`
      ])
      expect((await perform('create', { source: 'nowhere', destination: 'x.zip' })).exitCode).to.equal(3)
    })
    it('3: the source is a pipe, which is not waited for', async () => {
      const pipe = join(bench.folder, 'pipe')
      execFileSync('mkfifo', [pipe])
      for (const command of ['list', 'extract']) {
        const { exitCode, err } = await perform(command, { source: pipe })
        expect([exitCode, err], command).to.deep.equal([3, `source "${pipe}" is no file\n`])
      }
    })
    it('4: the destination cannot be', async () => {
      expect((await perform('create', { source: tree, destination: join(tree, 'a.txt', 'x.zip') })).exitCode).to.equal(
        4
      )
    })
    it('5: an unknown format, or one whose program is missing', async () => {
      expect((await perform('list', { source: join(tree, 'a.txt') })).exitCode).to.equal(5)
      expect((await perform('create', { source: tree, destination: 'x.rar' })).exitCode).to.equal(5)
      const end = await bench.run({
        words: ['create'],
        config: { source: tree, destination: 'x.tar.xz' },
        env: { PATH: '/nowhere' }
      })
      expect([end.exitCode, end.err]).to.deep.equal([5, 'the format xz needs the program xz, which is not installed\n'])
    })
    it('7: what cannot be archived', async () => {
      const folder = fresh()
      symlinkSync('..', join(folder, 'back'))
      const end = await perform('create', { source: folder, destination: 'x.zip', followSymlinks: true })
      expect(end.exitCode).to.equal(7)
      expect(end.err).to.include('leads back to a folder that it is in')
    })
    it('9: a file that its own program cannot unpack', async function () {
      if (!has('xz')) return this.skip()
      const source = join(fresh(), 'broken.xz')
      writeFileSync(source, Buffer.concat([Buffer.from('fd377a585a00', 'hex'), Buffer.alloc(64, 'x')]))
      expect((await perform('extract', { source })).exitCode).to.equal(9)
    })
    it('10: a place where nothing may be written', async () => {
      expect((await perform('create', { source: tree, destination: '/sys/x.zip' })).exitCode).to.equal(10)
    })
    it('11: no space is left, and no part of the archive stays', async function () {
      const folder = fresh()
      try {
        execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'none', folder], { stdio: 'ignore' })
      } catch {
        return this.skip() // only root may
      }
      try {
        const source = join(fresh(), 'large')
        writeFileSync(source, randomBytes(1_000_000))
        const end = await perform('create', { source, destination: join(folder, 'x.zip') })
        expect([end.exitCode, readdirSync(folder)]).to.deep.equal([11, []])
        expect(end.err).to.match(/ENOSPC/)
      } finally {
        execFileSync('umount', [folder])
      }
    })
    it('14: a stop, and nothing is left behind', async () => {
      const folder = fresh()
      writeFileSync(join(folder, 'large'), Buffer.alloc(300_000_000))
      const { running, outcome } = bench.start({
        words: ['create'],
        config: { source: join(folder, 'large'), destination: join(folder, 'x.tar.gz') }
      })
      await eventually('the beginning', () => (readdirSync(folder).length > 1 ? true : undefined))
      running.stop('SIGTERM')
      expect(await outcome).to.include({ exitCode: 14, err: 'canceled\n' })
      expect(readdirSync(folder)).to.deep.equal(['large'])
    })
  })

  it('13.5.3: of one that a crash of the engine has cut off nothing is left behind either', async () => {
    const folder = fresh()
    const tools = fresh('tools')
    writeFileSync(join(tools, 'xz'), '#!/bin/sh\nexec sleep 60\n', { mode: 0o755 })
    const open = () =>
      openExecutors(
        {} as Launcher,
        capturing({} as Launcher, '/'),
        systemClock,
        dockerEngine('/', {}, systemClock)
      ).get('archive') as Executor
    const { running, execution, outcome } = benchOf(open).start({
      words: ['create'],
      config: { source: tree, destination: join(folder, 'x.tar.xz') },
      env: { PATH: `${tools}:${process.env.PATH}` }
    })
    await eventually('the beginning', () => (readdirSync(folder).length > 0 ? true : undefined))
    const error = await open()
      .find(execution)
      ?.ended.catch((cause: Error) => cause)
    expect(error).to.have.property('message', 'interrupted: outcome unknown')
    expect(readdirSync(folder)).to.deep.equal([])
    running.stop('SIGTERM') // the first engine lives on here
    await outcome
  })
  it('P21: a stop in the middle of many small files does not end the engine, however often', async () => {
    const folder = fresh()
    for (let n = 0; n < 500; n++) writeFileSync(join(folder, `f${n}`), 'x')
    const source = join(fresh(), 'many.tar')
    execFileSync('tar', ['-cf', source, '-C', folder, '.'])
    for (let time = 0; time < 20; time++) {
      const destination = fresh()
      const { running, outcome } = bench.start({ words: ['extract'], config: { source, destination } })
      await eventually('the beginning', () => (readdirSync(destination).length > 20 ? true : undefined))
      running.stop('SIGTERM')
      expect(await outcome).to.include({ exitCode: 14 })
    }
  })
})
