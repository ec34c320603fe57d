import type { Harness, HarnessConfig } from '@modelport/conformance'
import type { Provider, ToolStreamReader } from '@modelport/core'
import type { Driver, Sink, Turn } from '@modelport/driver'
import {
  apiKey,
  harnessOf,
  providerOf,
  reference,
  referenceDriver,
  type WireBody,
} from './reference-driver.js'

const ownCode = new WeakSet<Harness>()

/**
 * True for a mutant that breaks what a provider supplies: its driver, or what it passes on of its
 * configuration. The others break what `createProvider` makes of that.
 */
export const breaksOwnCode = (mutant: Harness): boolean => ownCode.has(mutant)

/** A provider that makes something else of its configuration. */
export function configured(create: Harness['create']): Harness {
  const mutant = harnessOf(create)
  ownCode.add(mutant)
  return mutant
}

/** A provider whose driver is changed. */
export const driven = (change: (driver: Driver<WireBody>) => Partial<Driver<WireBody>>): Harness =>
  configured((config) => {
    const driver = referenceDriver(apiKey)
    return providerOf({ ...driver, ...change(driver) }, config)
  })

/** A provider whose decoder writes to a changed sink. */
export const sunk = (change: (sink: Sink) => Partial<Sink>): Harness =>
  driven((driver) => ({
    decoder: (sink, turn) => driver.decoder(changed(sink, change(sink)), turn),
  }))

/** A provider whose request body is changed before it is sent. */
export const sent = (change: (body: WireBody, turn: Turn) => WireBody): Harness =>
  driven((driver) => ({ request: (turn) => change(driver.request(turn), turn) }))

/** A provider that is changed from outside. */
export const wrapped = (
  change: (provider: Provider, config: HarnessConfig) => Partial<Provider>,
): Harness =>
  harnessOf((config) => {
    const provider = reference.create(config)
    return { ...provider, ...change(provider, config) }
  })

/** A provider whose stream readers are changed. */
export const reading = (change: (reader: ToolStreamReader) => Partial<ToolStreamReader>): Harness =>
  wrapped((provider) => ({
    streamWithTools: async (...parameters) => {
      const reader = await provider.streamWithTools(...parameters)
      return changed(reader, change(reader))
    },
  }))

/** The object with some methods replaced; the others keep their `this`. */
export function changed<T extends object>(target: T, change: Partial<T>): T {
  return new Proxy(target, {
    get: (object, name) => {
      if (name in change) return change[name as keyof T]
      if (name === Symbol.asyncIterator && ('next' in change || 'return' in change))
        return () => changed(target, change)
      const value: unknown = Reflect.get(object, name, object)
      return typeof value === 'function' ? (value.bind(object) as unknown) : value
    },
  })
}
