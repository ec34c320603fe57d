import type { Runner } from '../harness.js'
import type { CapabilityHarness } from './capability-harness.js'
import { declareCapabilityTests } from './capability-lab.js'
import { capabilityFailures } from './failures.js'
import { capabilityResults } from './results.js'
import { capabilitySecrets } from './secrets.js'
import { capabilityWaits } from './waits.js'

/**
 * Holds an image generator, a speech generator, a transcriber or a reranker to the rules M of docs/contract.md: declares the suite with
 * the runner given, for example vitest's own `describe` and `test`. Offline and deterministic, as `conformance` is.
 */
export function capabilityConformance(runner: Runner, harness: CapabilityHarness): void {
  runner.describe(`conformance of ${harness.name}`, () => {
    for (const tests of [capabilityResults, capabilityFailures, capabilityWaits, capabilitySecrets])
      declareCapabilityTests(runner, harness, tests)
  })
}
