/** Every part of the page on one sheet, with made-up contents: what the pictures of `test/page/looks/` are taken of. In no bundle of the page. */
import { type ComponentChildren, render } from 'preact'
import type { Label, RunLabel, RunSummary } from '../answers.ts'
import { RunTable } from '../lists/run-table.tsx'
import { Tags } from '../lists/tags.tsx'
import { ActionButton } from '../parts/action-button.tsx'
import { RunId } from '../parts/copy/run-id.tsx'
import { Check, IconButton, SearchField } from '../parts/fields.tsx'
import { Filters, TextFilter, ToggleFilter } from '../parts/filters.tsx'
import { Icon, StatusMark } from '../parts/icon.tsx'
import { Opener } from '../parts/opener.tsx'
import { Problem } from '../parts/problem.tsx'
import { Status } from '../parts/status.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { Code, Facts } from '../run/facts.tsx'
import { NodeBox } from '../run/graph/node-box.tsx'
import { statusText } from '../text.ts'

const LABELS: readonly Label[] = [
  'not_started',
  'queued',
  'running',
  'succeeded',
  'partially_succeeded',
  'failed',
  'canceled',
  'skipped'
]
const nothing = () => {}

const run = (name: string, statusLabel: RunLabel, at: number, params = ''): RunSummary =>
  ({
    name,
    dagRunId: `01a2267a-cbb8-7f3f-94df-e5790134243${at}`,
    statusLabel,
    queuedAt: '',
    startedAt: `2026-11-29T08:45:1${at}Z`,
    finishedAt: statusLabel === 'running' ? '' : `2026-11-29T08:46:2${at}Z`,
    params,
    trigger: { type: 'schedule', slot: '2026-11-29T08:45:00Z' }
  }) as RunSummary // what a row shows
const RUNS = [
  run('nightly-etl', 'failed', 1, 'DAY=sunday REGION=emea'),
  run('import-leads', 'running', 2),
  run('invoice-run', 'succeeded', 3, 'MONTH=11')
]
/** What can be stopped or retried. */
const able = new Set(RUNS.slice(0, 2).map(({ name, dagRunId }) => `${name}/${dagRunId}`))

const Part = ({ name, children }: { name: string; children: ComponentChildren }) => (
  <section aria-label={name}>
    <h2 class="minor">{name}</h2>
    {children}
  </section>
)

const Sheet = () => (
  <main>
    <nav class="crumbs" aria-label="Breadcrumb">
      <a href="#/definitions">Definitions</a>
      <a href="#/definitions/nightly-etl">nightly-etl</a>
      <span>
        <RunId id="01a2267a-cbb8-7f3f-94df-e5790134243a" />
      </span>
    </nav>
    <header class="run-head">
      <h1>nightly-etl</h1>
      <p class="run-state">
        <Status label="failed" /> <span class="soft">08:45:11, 2.6 s</span> <Tags all={['warehouse', 'finance']} />
        <span class="connection live">Live</span>
      </p>
      <div class="buttons">
        <ActionButton kind="main" onAct={nothing}>
          Start
        </ActionButton>
        <ActionButton kind="grave" onAct={nothing}>
          Stop
        </ActionButton>
        <ActionButton refusal="It has ended." onAct={nothing}>
          Retry
        </ActionButton>
        <Opener kind="menu" button="button" face={<Icon name="more" />} label="More actions" isMenu>
          {null}
        </Opener>
      </div>
    </header>
    <Part name="Status">
      <p class="legend">
        {LABELS.map((label) => (
          <Status key={label} label={label} />
        ))}
        <Status label="running" waitingFor={{ for: 'approval', until: '' }} />
      </p>
    </Part>
    <Part name="Filters">
      <Filters values={['etl']}>
        <TextFilter label="Name" name="name" value="etl" />
        <TextFilter label="Tag" name="tag" value="" />
        <ToggleFilter
          label="Status"
          name="status"
          values={['failed']}
          any="Any status"
          choices={(['failed', 'running'] as const).map((label) => ({
            value: label,
            text: statusText(label),
            mark: <StatusMark label={label} />
          }))}
        />
      </Filters>
    </Part>
    <Part name="Runs">
      <RunTable runs={RUNS} choosing={{ able, chosen: new Set([...able].slice(0, 1)), onChoose: nothing }} />
    </Part>
    <Part name="Text">
      <p>
        A sentence with <a href="#/runs">all runs</a>, <code>code</code>, <b>what counts</b> and{' '}
        <span class="soft">what counts less</span>.
      </p>
      <Facts
        rows={[
          ['Next starts', 'tomorrow 01:00:00 (20:00 New York), in 15 h 56 min'],
          ['Queue', <a href="#/queues">reports</a>]
        ]}
      />
      <Code text={'echo "row 17 of prices has no article" >&2\nexit 3'} what="command" />
    </Part>
    <Part name="Tools">
      <Tabs
        label="Views"
        names={[['log', 'Logs'] as const, ['graph', 'Graph'] as const]}
        chosen="log"
        onChoose={nothing}
      >
        <div class="log-tools">
          <SearchField label="Lines with" placeholder="Lines with" value="" onText={nothing} />
          <Check text="Longest first" isOn onChange={nothing} />
          <span class="icons">
            <Check icon="follow" text="Follow" isOn onChange={nothing} />
            <Check icon="wrap" text="Wrap" isOn={false} onChange={nothing} />
            <IconButton icon="save" text="Download" onAct={nothing} />
          </span>
        </div>
      </Tabs>
    </Part>
    <Part name="Failures">
      <Problem
        refusal={{ name: 'Refusal', status: 404, message: 'there is no run of that id' } as never} // what is shown of one
        retry={nothing}
      />
      <div class="failure">
        <div class="why">
          <ul>
            <li>
              <p>join ended with code 3, and retry 2 of 2 was the last</p>
              <p class="soft">Fix what failed and retry the run, or this step.</p>
            </li>
          </ul>
        </div>
      </div>
    </Part>
    <Part name="Graph">
      {(['succeeded', 'failed', 'not_started'] as const).map((label, at) => (
        <svg key={label} width="216" height="56">
          <title>Graph</title>
          <NodeBox
            name={`step-${label.replace('_', '-')}`}
            label={label}
            isOfRun
            detail={statusText(label)}
            x={104}
            y={28}
            isSelected={label === 'failed'}
            isReached={at === 0}
            isFound={false}
            isWaiting={false}
            onOpen={nothing}
          />
        </svg>
      ))}
    </Part>
  </main>
)

render(<Sheet />, document.body)
