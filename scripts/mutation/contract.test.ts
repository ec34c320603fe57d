import { conformance, type Runner } from '@modelport/conformance'
import { describe, test } from 'vitest'
import { reference } from '../../packages/conformance/test/reference-driver.js'

/**
 * The contract without the tests that go through every byte of a wire: what they find, a cut or a
 * split in one place finds too.
 */
const quick: Runner = {
  describe,
  test: Object.assign(
    (name: string, body: () => Promise<void> | void, timeoutMs?: number) => {
      if (!name.includes(' at every byte')) test(name, body, timeoutMs)
    },
    { skip: test.skip },
  ),
}

conformance(quick, reference)
