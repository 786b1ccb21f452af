/** Loaded into an engine: what waits for long waits for a quarter of it, such as for a fence. */
const { setTimeout: later } = globalThis
const LONG_MS = 4_000
globalThis.setTimeout = ((ring: () => void, ms = 0) => later(ring, ms >= LONG_MS ? ms / 4 : ms)) as typeof setTimeout
