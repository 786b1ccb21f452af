/** Asks the worker for the layout of a graph. */
import { useEffect, useState } from 'preact/hooks'
import { Refusal, refusalOf } from '../../api.ts'
import type { ElkBox } from '../../chart/chart-shape.ts'
import type { ChartPart, DagLayout, DagShape } from './dag-shape.ts'

/** Set by the build: the name of the worker's file. */
declare const DAG_LAYOUT_FILE: string

let worker: Worker | undefined
let count = 0

export function layoutOf(shape: DagShape): Promise<DagLayout>
export function layoutOf(shape: ChartPart): Promise<ElkBox>
export function layoutOf(shape: DagShape | ChartPart): Promise<DagLayout | ElkBox> {
  worker ??= new Worker(`page/${DAG_LAYOUT_FILE}`)
  const id = ++count
  const asked = worker
  return new Promise((resolve, reject) => {
    const over = new AbortController()
    const { signal } = over
    const heard = ({ data }: MessageEvent<{ id: number; layout: DagLayout | ElkBox }>) => {
      if (data.id !== id) return
      over.abort()
      resolve(data.layout)
    }
    const failed = () => {
      over.abort()
      // The next graph gets a new worker.
      if (worker === asked) worker = undefined
      asked.terminate()
      reject(new Refusal(0, `The graph cannot be shown: page/${DAG_LAYOUT_FILE} could not be loaded. Reload the page.`))
    }
    asked.addEventListener('message', heard, { signal })
    asked.addEventListener('error', failed, { signal })
    asked.postMessage({ id, shape })
  })
}

interface Laid {
  layout?: DagLayout
  refusal?: Refusal
}

/** The layout of a graph, or why there is none; neither while it is computed. @param key changes with the graph */
export function useLayout(shape: DagShape, key: string): Laid {
  const [laid, setLaid] = useState<Laid & { key: string }>()
  // The key stands for the shape, which is a new object each time.
  useEffect(() => {
    if (shape.room.width === 0) return
    let isWanted = true
    layoutOf(shape).then(
      (layout) => isWanted && setLaid({ key, layout }),
      (error: unknown) => isWanted && setLaid({ key, refusal: refusalOf(error) })
    )
    return () => {
      isWanted = false
    }
  }, [key])
  return laid?.key === key ? laid : {}
}
