/** The launcher beside a plain start by node's child_process: nothing may differ. Source: architecture 4, reliability 3.1. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { launcherBench, sh } from '../../support/executors/launched.ts'

describe('launcher › steps', () => {
  const { folder, launched, plain } = launcherBench()

  describe('conforms to a plain sh -c', () => {
    const commands: Record<string, string> = {
      quotes: `printf '<%s>' "it's" 'say "hi"' \\\\ '\\' "\\$HOME" '$HOME' \\"`,
      newlines: `printf 'a\nb'\nprintf '%s' "x\ny"\n\n# comment\necho last`,
      'here-document': `cat <<'END'\n$HOME \`x\` "q"\nEND\necho`,
      'no newline at the end': 'printf x',
      '$0 and $#': 'echo "$0" $#',
      'control characters': "printf '%s' '\u0001\u0007\u001b[0m\t\r' | od -c",
      unicode: "printf '%s' 'ä€😀\u2028'",
      'a long line': `echo ${'x'.repeat(100_000)} | wc -c`,
      'working directory': 'pwd; pwd -P; echo "$PWD"; echo "${OLDPWD-unset}"',
      umask: 'umask; touch mask-$$; stat -c %a mask-$$; rm mask-$$',
      limits: 'ulimit -a; ulimit -Ha',
      priority: 'nice; cat /proc/$$/oom_score_adj',
      'stdin is the null device': 'readlink /proc/$$/fd/0; cat; echo end',
      'file descriptors': 'ls /proc/$$/fd',
      'signals that are ignored, blocked or caught':
        'while read -r line; do case "$line" in Sig[IBC]*|NoNew*|Seccomp*) echo "$line";; esac; done </proc/$$/status',
      'traps on the way in':
        'trap; (sleep 0.01; kill -INT $$) & trap "echo caught; exit 3" INT; while :; do sleep 0.01; done',
      'a closed pipe': '{ yes; echo $? >&2; } | head -n 1',
      'background work': '(sleep 0.02; echo later) & echo now; wait',
      'errors on stderr': 'echo out; echo err >&2; no-such-command-here; cd /nowhere',
      'set -e': 'set -e; false; echo no',
      'syntax error': 'echo "unclosed',
      'variables of the holder':
        'echo "${LC_TROUPE-unset} ${HOME-unset} ${state-unset} ${job-unset} ${stat-unset} ${code-unset}"; set | grep -i troupe'
    }
    for (const [name, text] of Object.entries(commands))
      it(name, async () => {
        const [ours, theirs] = await Promise.all([launched({ argv: sh(text) }), plain({ argv: sh(text) })])
        expect(ours).to.deep.equal(theirs)
      })

    it('D4 a step that would begin too late is not begun, and says so; in time it is', async () => {
      const [late, inTime] = await Promise.all(
        [1, 1e15].map((limit) => launched({ argv: sh('echo "ran ${troupe_uptime-}"'), limit }))
      )
      expect([late?.exitCode, late?.stdout, late?.stderr]).to.deep.equal([
        75,
        '',
        'not begun: nothing has been heard of the engine for too long\n'
      ])
      expect([inTime?.exitCode, inTime?.stdout]).to.deep.equal([0, 'ran \n'])
    })

    it('exit codes 0 to 255', async () => {
      const codes = [0, 1, 2, 3, 124, 125, 126, 127, 128, 129, 130, 137, 141, 143, 200, 254, 255]
      const outcomes = await Promise.all(codes.map((code) => launched({ argv: sh(`exit ${code}`) })))
      expect(outcomes.map(({ exitCode }) => exitCode)).to.deep.equal(codes)
      expect(outcomes.filter(({ signaled }) => signaled)).to.deep.equal([])
    })

    it('ends by signals; SIGINT and SIGPIPE show as codes, which no shell tells apart', async () => {
      const names = ['HUP', 'ABRT', 'KILL', 'USR1', 'USR2', 'SEGV', 'ALRM', 'TERM', 'INT', 'PIPE'] as const
      const argv = (name: string) => sh(`ulimit -c 0; kill -${name} $$; echo survived`)
      const [ours, theirs] = await Promise.all([
        Promise.all(names.map((name) => launched({ argv: argv(name) }))),
        Promise.all(names.map((name) => plain({ argv: argv(name) })))
      ])
      expect(ours.map(({ exitCode, stdout }) => [exitCode, stdout])).to.deep.equal(
        theirs.map(({ exitCode, stdout }) => [exitCode, stdout])
      )
      expect(names.filter((_, index) => ours[index]?.signaled)).to.deep.equal(names.slice(0, 8))
    })

    it('$$ is the leader of its own session and group, apart from every other', async () => {
      const text = 'read -r pid comm state ppid pgrp session rest </proc/$$/stat; echo $$ $pgrp $session'
      const outcomes = await Promise.all([1, 2, 3].map(() => launched({ argv: sh(text) })))
      const leaders = outcomes.map(({ stdout }) => {
        const [leader, ...group] = stdout.trim().split(' ')
        expect(group).to.deep.equal([leader, leader])
        return leader
      })
      expect(new Set(leaders).size).to.equal(3)
    })

    it('programs that cannot be executed: 127 and 126; a folder that is gone: 1', async () => {
      writeFileSync(join(folder, 'plain-file'), '')
      const outcomes = await Promise.all([
        launched({ argv: ['no-such-program'] }),
        launched({ argv: [join(folder, 'plain-file')] }),
        launched({ argv: [folder] }),
        launched({ argv: sh('echo no'), cwd: join(folder, 'gone') })
      ])
      expect(outcomes.map(({ exitCode, signaled }) => [exitCode, signaled])).to.deep.equal([
        [127, false],
        [126, false],
        [126, false],
        [1, false]
      ])
      for (const { stdout, stderr } of outcomes) expect([stdout, stderr === '']).to.deep.equal(['', false])
    })

    it('working directories with blanks, quotes, newlines and a leading dash', async () => {
      for (const name of ['with blank', `it's "odd"`, 'new\nline', '-dash', '$HOME `x`', '* ? [a]']) {
        const cwd = join(folder, name)
        mkdirSync(cwd)
        const [ours, theirs] = await Promise.all([
          launched({ argv: sh('printf %s "$(pwd -P)"'), cwd }),
          plain({ argv: sh('printf %s "$(pwd -P)"'), cwd })
        ])
        expect(ours).to.deep.equal(theirs)
        expect(ours.stdout).to.equal(cwd)
      }
    })

    it('arguments as they are', async () => {
      const args = [
        '',
        ' ',
        "'",
        '"',
        '\\',
        '$HOME',
        '`x`',
        '*',
        '-n',
        '--',
        'a\nb',
        'ä',
        '\u0007',
        '=',
        'A=b',
        '!',
        '#',
        '~',
        '{a,b}'
      ]
      const { stdout } = await launched({ argv: ['printf', '%s\\0', ...args] })
      expect(stdout.split('\0').slice(0, -1)).to.deep.equal(args)
    })

    it('a NUL character is refused with a reason', async () => {
      const failures = await Promise.allSettled([
        launched({ argv: sh('echo a\0b') }),
        launched({ argv: sh('echo'), env: { A: 'a\0b' } })
      ])
      const reasons = failures.map((failure) =>
        failure.status === 'rejected' ? String(failure.reason.message) : 'none'
      )
      expect(reasons[0]).to.contain('its command holds a NUL character')
      expect(reasons[1]).to.contain('the variable A holds a NUL character')
    })
  })
})
