import type { Driver, InBandFailure } from '../base/driver.js'
import { maxErrorBytes } from '../base/limits.js'
import { clipStrings, nameFailure } from './http-failure.js'

/**
 * A failure that the server reported inside a response of status 200. It ends the reading;
 * `nameInBand` turns it into the driver's error.
 */
export class InBandError extends Error {
  readonly failure: InBandFailure

  constructor(failure: InBandFailure) {
    super()
    this.failure = failure
  }
}

/**
 * Turns an in-band error of the response with these headers into the driver's error; returns any
 * other error unchanged.
 */
export function nameInBand(
  driver: Pick<Driver, 'name' | 'error'>,
  headers: Headers,
  error: unknown,
): unknown {
  if (!(error instanceof InBandError)) return error
  const { failure } = error
  const body = clipStrings(failure.body)
  const text = (typeof body === 'string' ? body : JSON.stringify(body)).slice(0, maxErrorBytes)
  return nameFailure(driver, { status: failure.status ?? 200, headers, body, text, inBand: true })
}
