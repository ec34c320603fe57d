import { faultRunner } from '../../../test/support/faults.js'
import { conformance } from '@modelport/conformance'
import { reference } from './reference-driver.js'

conformance(faultRunner, reference)
