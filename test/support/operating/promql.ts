/** What a query in PromQL selects, by the parser of Prometheus' own page. */
import { parser } from '@prometheus-io/lezer-promql'

export interface Selected {
  metric: string
  matchers: { label: string; op: string; value: string }[]
}

export interface Query {
  /** Parts that are not PromQL. */
  problems: string[]
  selected: Selected[]
  /** Labels of `by` and `on`: a result has no others. */
  grouped: string[]
  /** Labels of `ignoring` and `without`. */
  ignored: string[]
}

export function queryOf(text: string): Query {
  const query: Query = { problems: [], selected: [], grouped: [], ignored: [] }
  parser.parse(text).iterate({
    enter({ name, from, to, type, node }) {
      const here = text.slice(from, to)
      if (type.isError) query.problems.push(`${text.slice(0, from)} >>> ${here}`)
      else if (name === 'VectorSelector') query.selected.push(selectedBy(here))
      else if (name === 'LabelName' && node.parent?.name === 'GroupingLabels') {
        const modifier = node.parent.parent
        const isIgnored = modifier?.getChild('Ignoring') ?? modifier?.getChild('Without')
        query[isIgnored ? 'ignored' : 'grouped'].push(here)
      }
    }
  })
  return query
}

function selectedBy(text: string): Selected {
  const selected: Selected = { metric: '', matchers: [] }
  parser.parse(text).iterate({
    enter({ name, from, to }) {
      const here = text.slice(from, to)
      const latest = selected.matchers.at(-1)
      if (name === 'Identifier') selected.metric = here
      else if (name === 'LabelName') selected.matchers.push({ label: here, op: '', value: '' })
      else if (name === 'MatchOp' && latest) latest.op = here
      else if (name === 'StringLiteral' && latest) latest.value = here.slice(1, -1)
    }
  })
  return selected
}
