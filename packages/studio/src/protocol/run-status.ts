import type { RunSummary } from './protocol.js'

/** True for a run that nothing happens in any more. */
export const isOver = ({ status }: Pick<RunSummary, 'status'>): boolean =>
  status !== 'running' && status !== 'waiting'

/** Name that stands for the tools of the studio itself where a source is named. */
export const ownTools = 'this machine'
