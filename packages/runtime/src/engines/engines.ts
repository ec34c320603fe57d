export { type Dbos, type DbosPending, dbosEngine, dbosTopic } from './dbos.js'
export {
  type RestateContext,
  type RestatePending,
  type RestatePromise,
  restateEngine,
  restateState,
} from './restate.js'
