/** How long does a server that has read nothing yet take to parse, validate and expand a definition of 1,000 steps? */
import { type Question, scaled } from '../question.ts'

const STEPS = 1000

export const read: Question = {
  name: 'read',
  definitions: () => ({}),
  async ask({ client }, scale) {
    const spec = longDefinition(scaled(STEPS, scale))
    const begun = performance.now()
    await client.validate(spec)
    const cold = performance.now() - begun
    return [{ figure: 'first reading of 1,000 steps', unit: 'ms', better: 'less', value: cold }]
  }
}

/** A graph of `steps` steps, each with a dependency and a reference. */
export const longDefinition = (steps: number): string => `name: read
type: graph
params:
  - DAY: today
schedule: "0 1 * * *"
steps:
${Array.from({ length: steps }, (_, index) => step(index)).join('')}`

const step = (index: number): string => `  - name: s${index}
    command: echo "step ${index} of \${DAY}"
    depends: [${index === 0 ? '' : `s${Math.max(0, index - 7)}`}]
`
