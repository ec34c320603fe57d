import dns from 'node:dns'
import module from 'node:module'

type Callback = (error: Error) => void

/**
 * From here on no name below `.invalid` resolves, at once and without a question to the network:
 * what a name server, or none, says of one may take any time. The result undoes it. Elsewhere than
 * on Node the platform is asked as ever.
 */
export function refuseUnknownNames(): () => void {
  const { lookup, promises } = dns
  const { lookup: promised } = promises
  const failure = (name: unknown): Error | undefined =>
    /\.invalid\.?$/.test(String(name))
      ? Object.assign(new Error(`getaddrinfo ENOTFOUND ${String(name)}`), {
          errno: -3008,
          code: 'ENOTFOUND',
          syscall: 'getaddrinfo',
          hostname: name,
        })
      : undefined
  const replace = (one: unknown, other: unknown): void => {
    Object.assign(dns, { lookup: one })
    Object.assign(promises, { lookup: other })
    module.syncBuiltinESMExports()
  }
  replace(
    (...given: [name: string, ...Callback[]]) => {
      const error = failure(given[0])
      if (error) process.nextTick(given.at(-1) as Callback, error)
      else Reflect.apply(lookup, dns, given)
    },
    (...given: [name: string]) => {
      const error = failure(given[0])
      return error ? Promise.reject(error) : Reflect.apply(promised, promises, given)
    },
  )
  return () => {
    replace(lookup, promised)
  }
}
