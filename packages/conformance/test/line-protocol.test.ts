import { conformance } from '@modelport/conformance'
import { describe, test } from 'vitest'
import { atSize } from '../../../test/support/faults.js'
import { createLines, lineFormat } from './line-protocol.js'

conformance(
  { describe, test, everyNthByte: atSize(16, 1) },
  { name: 'a protocol of text lines', create: createLines, format: lineFormat },
)
