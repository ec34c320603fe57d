import { conformance } from '@modelport/conformance'
import { faultRunner } from '../../../test/support/faults.js'
import { reference } from './reference-driver.js'

conformance(faultRunner, reference)
