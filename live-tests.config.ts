import { mergeConfig } from 'vitest/config'
import base from './vitest.config.js'

/** Only the tests that ask real vendors; no other command runs them. */
export default mergeConfig(
  { ...base, test: { ...base.test, projects: undefined } },
  { test: { include: ['test/live/ask-vendors.ts'], maxWorkers: 1 } },
)
