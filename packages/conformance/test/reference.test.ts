import { describe, test } from 'vitest'
import { conformance } from '@modelport/conformance'
import { reference } from './reference-driver.js'

conformance({ describe, test }, reference)
