/** Defaults that others than the reader of a definition need, who do not load it. Imports nothing. */

export const MAX_ACTIVE_RUNS = 1
export const HIST_RETENTION_DAYS = 30
