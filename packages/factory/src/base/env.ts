/** Looks up an environment variable; undefined when it is not set. */
export type Environment = (name: string) => string | undefined

interface Runtime {
  readonly process?: { readonly env?: Readonly<Record<string, string | undefined>> }
  readonly Deno?: { readonly env?: { get(name: string): string | undefined } }
}

/**
 * The environment of this process, and the one place where modelport reads it. Undefined for every
 * name where there is none, as in a browser, and for names that the sandbox does not let us read.
 */
export const processEnvironment: Environment = (name) => {
  const { process, Deno } = globalThis as Runtime
  try {
    return Deno?.env ? Deno.env.get(name) : process?.env?.[name]
  } catch {
    return undefined
  }
}

/** The part of a `FactoryContext` that says how variables are looked up. */
interface Lookup {
  readonly environment?: Environment | undefined
  readonly environmentPrefix?: string | undefined
}

/**
 * The value of a variable or, if that is unset or empty, of the one with a prefix before its name.
 * Outer white space is dropped.
 */
export function resolveEnvironment(
  name: string,
  environment: Environment = processEnvironment,
  prefix = '',
): string | undefined {
  return withPrefix(name, prefix)
    .map((one) => environment(one)?.trim())
    .find((value) => value)
}

/** {@link resolveEnvironment} with the options of a context. */
export const lookUp = (
  name: string,
  { environment, environmentPrefix }: Lookup,
): string | undefined => resolveEnvironment(name, environment, environmentPrefix)

/** A name, and the same with the prefix unless that is empty. */
export const withPrefix = (name: string, prefix = ''): readonly string[] =>
  prefix ? [name, `${prefix}${name}`] : [name]

/** The names that were looked up, for a message: `KEY (or APP_KEY)`. */
export const lookedUp = (name: string, { environmentPrefix }: Lookup): string => {
  const [first = name, second] = withPrefix(name, environmentPrefix)
  return second === undefined ? first : `${first} (or ${second})`
}

/**
 * Proxy variables that are set, by name. modelport follows none of them unless a configuration has
 * `proxy` or `proxyEnv`; with `NODE_USE_ENV_PROXY` Node's own `fetch` does, which matters only to a
 * configuration that passes that `fetch`.
 */
export function proxyVariables(environment: Environment = processEnvironment): string[] {
  const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY'].flatMap((name) => [
    name,
    name.toLowerCase(),
  ])
  return [...names, 'NODE_USE_ENV_PROXY'].filter((name) => environment(name))
}
