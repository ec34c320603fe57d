import type { Row } from './row.ts'
import { aiSdk, aiSdkModel } from './rows/ai-sdk.ts'
import { floorA, floorB } from './rows/floors.ts'
import { langChain } from './rows/langchain.ts'
import { modelport } from './rows/modelport.ts'
import { officialSdk } from './rows/official-sdk.ts'
import { piAi } from './rows/pi-ai.ts'
import { tanStack } from './rows/tanstack.ts'

/** All rows, the reference first. */
export const rows: readonly Row[] = [
  floorB,
  floorA,
  modelport,
  officialSdk,
  aiSdk,
  aiSdkModel,
  langChain,
  piAi,
  tanStack,
]

/** What was asked for and is not here, and why. */
export const absent: readonly string[] = [
  '`@earendil-works/pi-ai` 1.5.2, the newest: it needs `@earendil-works/pi-schema`, which the registry does not hold (2026-11-21). Measured is 0.87.1, the newest that installs.',
  '`@tanstack/ai-ollama` 0.11.11: it needs `@tanstack/ai` ^0.63.0, the newest there is is 0.58.0 (2026-11-21).',
]
