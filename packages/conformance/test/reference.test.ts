import { conformance } from '@modelport/conformance'
import { faultRunner } from '../../../test/support/faults.js'
import { reference } from './reference-driver.js'

// The driver's own suite: providers whose replies are server-sent events run only the rules of
// their wire.
conformance(faultRunner, reference)
