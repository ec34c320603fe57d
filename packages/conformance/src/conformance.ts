import type { Harness, Runner } from './harness.js'
import { createRule } from './rule.js'
import { abortRules } from './suite/abort.js'
import { byteRules } from './suite/bytes.js'
import { defectRules } from './suite/defects.js'
import { failureRules } from './suite/failures.js'
import { inBandRules } from './suite/in-band.js'
import { limitRules } from './suite/limits.js'
import { readerRules } from './suite/reader.js'
import { requestRules } from './suite/requests.js'
import { roundTripRules } from './suite/round-trip.js'
import { secretRules } from './suite/secrets.js'
import { truncationRules } from './suite/truncation.js'
import { turnRules } from './suite/turns.js'
import { waitingRules } from './suite/waiting.js'

/**
 * Holds a provider to every rule of docs/contract.md: declares the suite with the runner given, for
 * example vitest's own `describe` and `test`. Offline and deterministic: the replies come from
 * memory, and time is virtual.
 */
export function conformance(runner: Runner, harness: Harness): void {
  const rule = createRule(runner, harness)
  const groups = [
    roundTripRules,
    byteRules,
    truncationRules,
    readerRules,
    turnRules,
    defectRules,
    failureRules,
    waitingRules,
    abortRules,
    inBandRules,
    limitRules,
    secretRules,
    requestRules,
  ]
  runner.describe(`conformance of ${harness.name}`, () => {
    for (const group of groups) group(rule, harness)
  })
}
