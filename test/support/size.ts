const { MODELPORT_FAULTS: faults, MODELPORT_RUNS: runs } = process.env

/** True with `npm run faults -- --full`: every test at the size that reliability asks for. */
export const fullSize: boolean = faults === 'full'

/** True with `npm run test:full` too: also what hardly any commit breaks is run. */
export const isFull: boolean = fullSize || runs === 'full'

/** How often: the size of every commit, or the full one. */
export const atSize = (everyCommit: number, full: number): number => (isFull ? full : everyCommit)
