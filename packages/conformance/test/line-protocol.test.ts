import { conformance } from '@modelport/conformance'
import { describe, test } from 'vitest'
import { createLines, lineFormat } from './line-protocol.js'

conformance({ describe, test }, { name: 'a protocol of text lines', create: createLines, format: lineFormat })
