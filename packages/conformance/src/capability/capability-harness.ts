import type { RequestOptions } from '@modelport/core'
import type { HarnessConfig } from '../harness.js'
import type { WireRequest, WireResponse } from '../wire-format.js'

/** A call of a capability besides text, as the suite makes it. */
export type CapabilityCall = (options: RequestOptions) => Promise<unknown>

/** What the suite calls. */
export interface CapabilityCalls {
  /** A call that uses as many options as the API has. */
  readonly call: CapabilityCall
  /** Calls that the API cannot express, by name: each must reject `unsupported`. */
  readonly unsupported: Readonly<Record<string, CapabilityCall>>
  /** Calls with input that is always wrong, by name: each must reject `invalid-request`. */
  readonly invalid: Readonly<Record<string, CapabilityCall>>
}

/** A response of status 200. */
export interface CapabilityResponse {
  /** Headers of the response. */
  readonly headers: Readonly<Record<string, string>>
  /** The whole body. */
  readonly body: string | Uint8Array
}

/** Everything the suite needs of an image generator, a speech generator, a transcriber or a reranker. */
export interface CapabilityHarness {
  /** Names the suite in the report. */
  readonly name: string
  /** Makes the capability: it passes all of `config` on to the driver layer and uses {@link CapabilityHarness.apiKey}. */
  create(config: HarnessConfig): CapabilityCalls
  /** The server's response to {@link CapabilityCalls.call}. */
  readonly response: CapabilityResponse
  /** What the call resolves with then. */
  readonly expected: unknown
  /** Responses of status 200 without a valid result, by name: each must reject `protocol`. */
  readonly malformed: Readonly<Record<string, CapabilityResponse>>
  /** True if the body is a file: its bytes do not show its end, so only a broken connection shows that it was cut. */
  readonly file?: boolean
  /** A failed response in the API's own form. */
  failure(status: number, message: string, headers?: Readonly<Record<string, string>>): WireResponse
  /** The problems of a request of {@link CapabilityCalls.call}; empty if it is valid. */
  violations(request: WireRequest): readonly string[]
  /** A key that must appear in no output. Unset: the capability has no key. */
  readonly apiKey?: string
}
