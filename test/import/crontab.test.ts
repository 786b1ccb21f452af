/** Lines of a crontab become definitions, as cron reads them. Source: crontab(5); docs/operating/coming-from-cron.md. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { readDefinition } from '../../src/definition/read.ts'
import { definitionOf } from '../../src/import/cron/definition.ts'
import { crontabsAt, importCrontab } from '../../src/import/cron/import.ts'
import { nameFor } from '../../src/import/cron/names.ts'
import { parseCrontab } from '../../src/import/cron/parse.ts'
import { needsWork, openReport } from '../../src/import/report.ts'
import { createEngine } from '../../src/index.ts'
import { temporaryFolder } from '../support/homes.ts'
import { contentsOf } from './scene.ts'

const ME = { user: 'me', host: 'here.example.org' }

const jobsIn = (text: string, hasUser = false) => parseCrontab(text, hasUser).jobs
const planOf = (text: string, hasUser = false) => {
  const [job] = jobsIn(text, hasUser)
  if (!job) throw new Error('no job')
  const made = definitionOf(job, 'job', 'test', ME)
  const { plan, problems } = readDefinition(made.text, { fallbackName: 'job' })
  expect(problems).to.deep.equal([])
  if (!plan) throw new Error('no plan')
  return { plan, ...made }
}

describe('import › the lines of a crontab', () => {
  it('five fields and a command; with a user column the user is taken out', () => {
    expect(jobsIn('*/5 0-6 1,15 * mon  /bin/run --x  "a b"\n')).to.deep.include.members([])
    expect(jobsIn('*/5 0-6 1,15 * mon  /bin/run --x  "a b"\n')[0]).to.deep.include({
      when: '*/5 0-6 1,15 * mon',
      command: '/bin/run --x  "a b"',
      line: 1
    })
    expect(jobsIn('17 * * * * root cd / && run-parts --report /etc/cron.hourly\n', true)[0]).to.deep.include({
      user: 'root',
      command: 'cd / && run-parts --report /etc/cron.hourly'
    })
  })
  it('variables hold for the lines below them, without their quotes; the last one counts', () => {
    const [first, second] = jobsIn('A = "x y"\n0 0 * * * one\nA=z\nB=\n0 0 * * * two\n')
    expect(first?.env).to.deep.equal([['A', 'x y']])
    expect(second?.env).to.deep.equal([
      ['A', 'z'],
      ['B', '']
    ])
  })
  it('the first % ends the command, the others are newlines of its input; a \\% is a %', () => {
    expect(jobsIn('0 0 * * * date +\\%F; cat%one%two\n')[0]).to.deep.include({
      command: 'date +%F; cat',
      input: 'one\ntwo\n'
    })
    expect(jobsIn('0 0 * * * cat%\n')[0]?.input).to.equal('\n')
  })
  it('the comment right above a line is its description; a line in a comment is named, and is no description', () => {
    const { jobs, odd } = parseCrontab(
      '# of the file\n\n# m h dom mon dow command\n# nightly\n# backup\n0 1 * * * a\n# 0 2 * * * off\n0 3 * * * b\n',
      false
    )
    expect(jobs.map(({ comment }) => comment)).to.deep.equal(['nightly\nbackup', ''])
    expect(odd).to.deep.equal([{ line: 7, text: '# 0 2 * * * off', isOff: true }])
  })
  it('what cron would refuse is named', () => {
    expect(parseCrontab('hello\n* * * *\n', false).odd.map(({ line }) => line)).to.deep.equal([1, 2])
  })
  it('words such as @daily are five fields; @reboot is named and has no schedule', () => {
    expect(planOf('@daily a\n').plan.schedule.start).to.deep.equal(['0 0 * * *'])
    const { plan, notes } = planOf('@reboot a\n')
    expect(plan.schedule.start).to.deep.equal([])
    expect(notes.map(({ kind, text }) => [kind, text])).to.deep.equal([['left', '@reboot is no time']])
  })
  it('CRON_TZ, SHELL, PATH and others, HOME, MAILTO have their fields', () => {
    const { plan, notes } = planOf(
      'CRON_TZ=Asia/Tokyo\nSHELL=/bin/bash\nPATH=/opt/bin:/bin\nHOME=/srv\nMAILTO=ops@example.org, b@example.org\n0 9 * * * a\n'
    )
    expect(plan).to.deep.include({ shell: ['/bin/bash'], workingDir: '/srv', dotenv: [] })
    expect(plan.schedule.start).to.deep.equal(['CRON_TZ=Asia/Tokyo 0 9 * * *'])
    expect(plan.env).to.deep.equal([
      { key: 'SHELL', value: '/bin/bash' },
      { key: 'PATH', value: '/opt/bin:/bin' },
      { key: 'HOME', value: '/srv' }
    ])
    expect(plan.errorMail?.to).to.deep.equal(['ops@example.org', 'b@example.org'])
    expect(plan.mailOn).to.deep.equal({ failure: true, success: false })
    expect(notes.map(({ kind }) => kind)).to.deep.equal(['note'])
  })
  it('MAILTO without MAILFROM is mailed by USER@HOSTNAME, or the user of the line, as cron does; MAILFROM is taken', () => {
    const senderOf = (text: string, hasUser = false) => planOf(text, hasUser).plan.errorMail?.from
    expect(senderOf('MAILTO=ops@example.org\n0 4 * * * one\n')).to.equal('me@here.example.org')
    expect(senderOf('MAILTO=ops@example.org\n0 4 * * * www one\n', true)).to.equal('www@here.example.org')
    expect(senderOf('MAILTO=ops@example.org\nMAILFROM=cron@example.org\n0 4 * * * one\n')).to.equal('cron@example.org')
    const { plan, notes } = planOf('MAILTO=ops@example.org\nMAILFROM=cron\n0 4 * * * one\n')
    expect(plan.errorMail?.from).to.equal('me@here.example.org')
    expect(notes.map(({ kind }) => kind)).to.deep.equal(['left', 'note'])
  })
  it('MAILTO that is no address is named, and nothing is promised for it; an empty one mails nothing', () => {
    for (const to of ['root', '$USER', '"root"', 'root,admin', '`id`@example.org', '$A@example.org']) {
      const { plan, notes } = planOf(`MAILTO=${to}\n0 4 * * * one\n`)
      expect([plan.errorMail, plan.mailOn.failure], to).to.deep.equal([undefined, false])
      expect(
        notes.map(({ kind }) => kind),
        to
      ).to.deep.equal(['left'])
      expect(notes[0]?.text).to.contain('no address')
    }
    const { plan, notes } = planOf('MAILTO="a, b c@d.example ,e@f.example"\n0 4 * * * one\n')
    expect(plan.errorMail?.to).to.deep.equal(['c@d.example', 'e@f.example'])
    expect(notes.map(({ kind, text }) => [kind, text.split(';')[0]])[0]).to.deep.equal([
      'left',
      'MAILTO: a, b: no address, such as name@example.org'
    ])
    for (const empty of ['MAILTO=""', 'MAILTO=', "MAILTO=''", 'MAILTO=" , "']) {
      const made = planOf(`${empty}\n0 4 * * * one\n`)
      expect([made.plan.errorMail, made.notes], empty).to.deep.equal([undefined, []])
    }
  })
  it('variables stay variables: nothing in them is expanded, and none becomes a part of the command', async () => {
    const engine = await createEngine({ temporary: true, defaultShell: 'sh' })
    try {
      const [job] = jobsIn(
        [
          'P=$HOME/bin:`id`',
          'OPTS = "-l | wc"',
          `Q='it"s'`,
          'PLAIN=word',
          `0 0 * * * printf '\\%s,' "$P" $OPTS "$Q" $PLAIN '$PLAIN $P'`
        ].join('\n')
      )
      if (!job) throw new Error('no job')
      const { text, notes } = definitionOf(job, 'job', 'test', ME)
      expect(notes).to.deep.equal([])
      const run = await engine.start({ dagName: 'job', spec: text.replace('script:', 'output: O\n    script:') })
      const { nodes } = await engine.result(run)
      expect(nodes[0]?.node.output).to.equal('$HOME/bin:`id`,-l,|,wc,it"s,word,$PLAIN $P,')
    } finally {
      await engine.close()
    }
  })
  it('a line of another user runs by sudo with its variables, and is noted; one of this user does not', () => {
    const { plan, notes } = planOf("A='x y'\n0 0 * * * www echo \"it's\"\n", true)
    expect(plan.steps[0]?.command).to.deep.equal("sudo -n -H -u www -- env 'A=x y' /bin/sh -c 'cd; echo \"it'\\''s\"'")
    expect(notes.map(({ kind }) => kind)).to.deep.equal(['note'])
    expect(planOf('0 0 * * * me echo x\n', true).plan.steps[0]?.command).to.equal('echo x')
  })
  it('names are those of the program or script', () => {
    const names: [string, string][] = [
      ['/opt/x/backup.sh --all', 'backup'],
      ['cd /srv && ./run.py', 'run'],
      ['nice -n 10 ionice -c3 /usr/bin/updatedb', 'updatedb'],
      ['/usr/bin/python3 -u /opt/report.py 2>&1', 'report'],
      ['test -x /usr/sbin/anacron || { cd / && run-parts /etc/cron.daily; }', 'run-parts'],
      ['[ -d /x ] && flock -n /tmp/l -c /opt/sync.sh', 'sync'],
      ['A=1 B=2 job', 'job'],
      ['timeout 5 curl -s https://example.org', 'curl'],
      ['*', 'job'],
      ['[ -x /x/clean ] && if [ ! -d /run ]; then /x/clean; fi', 'clean'],
      ['for f in a b; do gzip $f; done', 'gzip'],
      ['sudo -u www php /srv/artisan schedule:run', 'artisan']
    ]
    for (const [command, name] of names) expect(nameFor(command), command).to.equal(name)
  })
  it('the recorded input reaches the command, with percent signs and quotes, on a real engine', async () => {
    const engine = await createEngine({ temporary: true, defaultShell: 'sh' })
    try {
      const [job] = jobsIn('X=1\n0 0 * * * cat; echo "$X 100\\%" \'${Y}\'%to: $X%`b`\n')
      if (!job) throw new Error('no job')
      const run = await engine.start({
        dagName: 'job',
        spec: definitionOf(job, 'job', 'test', ME).text.replace('script:', 'output: O\n    script:')
      })
      const { nodes } = await engine.result(run)
      expect(nodes[0]?.node.output).to.equal('to: $X\n`b`\n1 100% ${Y}')
    } finally {
      await engine.close()
    }
  })
})

describe('import › a crontab', () => {
  const text = '# every night\n0 1 * * * /opt/backup.sh a\n0 2 * * * /opt/backup.sh b\n61 * * * * never\n'
  const imported = (dagsDir: string, options: { dryRun?: boolean; overwrite?: boolean } = {}, of = text) =>
    importCrontab({
      dryRun: false,
      overwrite: false,
      self: ME,
      ...options,
      config: { dagsDir },
      crontabs: [{ name: 'tab', text: of, hasUser: false }]
    })

  it('has a definition for each line, with names that differ; a time that is none is named with its line', () => {
    const dags = join(temporaryFolder(), 'dags')
    const { report } = imported(dags)
    expect(readdirSync(dags)).to.deep.equal(['backup-2.yaml', 'backup.yaml', 'never.yaml'])
    const text = readFileSync(join(dags, 'backup.yaml'), 'utf8')
    const [, , expectMark = ''] = text.split('\n')
    expect(expectMark).to.match(/^# Imported as job [0-9a-f]{12}, text [0-9a-f]{12}$/)
    expect(text).to.equal(
      [
        '# From tab:',
        '# 0 1 * * * /opt/backup.sh a',
        expectMark,
        '',
        'description: every night',
        'schedule: 0 1 * * *',
        'shell: /bin/sh',
        'workingDir: ${HOME}',
        'dotenv: []',
        'steps:',
        '  - name: backup',
        '    command: /opt/backup.sh a',
        ''
      ].join('\n')
    )
    expect(report.entries.filter(({ kind }) => kind === 'left').map(({ what, line }) => [what, line])).to.deep.equal([
      ['tab', 4]
    ])
  })
  it('imported again it writes nothing; what was changed here stays, unless it may be replaced; a dry run writes nothing', () => {
    const dags = join(temporaryFolder(), 'dags')
    imported(dags, { dryRun: true })
    expect(() => readdirSync(dags)).to.throw('ENOENT')
    imported(dags)
    writeFileSync(join(dags, 'backup.yaml'), 'steps: [echo mine]\n')
    const before = contentsOf(dags)
    const { report } = imported(dags)
    expect(contentsOf(dags)).to.deep.equal(before)
    expect(report.entries.map(({ kind }) => kind)).to.deep.equal(['left', 'there', 'there', 'left'])
    imported(dags, { overwrite: true })
    expect(readFileSync(join(dags, 'backup.yaml'), 'utf8')).to.contain('/opt/backup.sh a')
  })
  it('a job is what it runs: lines above it, other times and equal commands leave each definition its name', () => {
    const dags = join(temporaryFolder(), 'dags')
    const shown = () =>
      Object.fromEntries(
        readdirSync(dags).map((name) => {
          const { plan } = readDefinition(readFileSync(join(dags, name), 'utf8'), { fallbackName: 'x' })
          return [name, `${plan?.schedule.start} ${plan?.steps[0]?.command}`]
        })
      )
    imported(dags, {}, '0 1 * * * /x/job a\n0 2 * * * /x/job b\n0 3 * * * /x/job b\n')
    const before = contentsOf(dags)
    imported(
      dags,
      {},
      '# above\n\n0 1 * * * /x/job a\n0 2 * * * /x/job b\n0 3 * * * /x/job b\n'.replace('# above\n', '')
    )
    expect(contentsOf(dags)).to.deep.equal(before)
    const { report } = imported(
      dags,
      {},
      '9 9 * * * /x/job new\n0 3 * * * /x/job b\n0 1 * * * /x/job a\n5 5 * * * /x/job b\n'
    )
    expect(shown()).to.deep.equal({
      'job.yaml': '0 1 * * * /x/job a',
      'job-2.yaml': '5 5 * * * /x/job b',
      'job-3.yaml': '0 3 * * * /x/job b',
      'job-4.yaml': '9 9 * * * /x/job new'
    })
    expect(needsWork(report)).to.equal(false)
  })
  it('a job that is gone is named; one that was changed here stays', () => {
    const dags = join(temporaryFolder(), 'dags')
    imported(dags, {}, '0 1 * * * /x/one\n0 2 * * * /x/two\n')
    const path = join(dags, 'one.yaml')
    writeFileSync(path, `${readFileSync(path, 'utf8')}# mine\n`)
    const { report } = imported(dags, {}, '0 7 * * * /x/one\n')
    expect(readFileSync(path, 'utf8')).to.contain('# mine')
    expect(report.entries.map(({ kind, text }) => [kind, text])).to.deep.equal([
      ['left', 'one.yaml is here already, and differs'],
      ['left', 'two.yaml was made of a line that is there no more: 0 2 * * * /x/two']
    ])
    expect(needsWork(report)).to.equal(true)
    expect(readdirSync(dags)).to.deep.equal(['one.yaml', 'two.yaml'])
  })
  it('a folder has the crontabs that cron reads there, and the others are named', () => {
    const folder = join(temporaryFolder(), 'cron.d')
    mkdirSync(folder)
    writeFileSync(join(folder, 'php'), '9 * * * * root true\n')
    writeFileSync(join(folder, 'php.dpkg-old'), '9 * * * * root true\n')
    writeFileSync(join(folder, 'latin'), Buffer.from('# caf\xe9\n', 'latin1'))
    const report = openReport()
    expect(crontabsAt(folder, true, report)).to.deep.equal([
      { name: join(folder, 'php'), text: '9 * * * * root true\n', hasUser: true }
    ])
    expect(report.entries.map(({ what, text }) => [what, text])).to.deep.equal([
      [join(folder, 'latin'), 'wanted UTF-8, found the byte 0xE9: save the file as UTF-8'],
      [join(folder, 'php.dpkg-old'), 'cron reads no file of this name']
    ])
  })
})
