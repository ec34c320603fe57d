export { type Dbos, type DbosPending, dbosEngine, dbosTopic } from './dbos.js'
export { type CrashPlace, type CrashReport, type CrashWorld, everyCrash } from './every-crash.js'
export {
  type RestateContext,
  type RestatePending,
  type RestatePromise,
  type RestateWait,
  restateEngine,
  restateState,
} from './restate.js'
