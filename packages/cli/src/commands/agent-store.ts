import type { DurableStore, StoreOptions } from '@modelport/durable'
import type { Cli, CommonOptions } from '../context/cli.js'
import { UsageError } from '../errors/exit-codes.js'

/** Options that name a durable store. */
export interface StoreCommandOptions extends CommonOptions {
  readonly store?: string
  readonly storeEnv?: string
  readonly schema?: string
  readonly encryptionKeyEnv?: string
}

/** Opens the store, gives it to `use`, and closes it. @throws {UsageError} no store is named */
export async function withStore<Result>(
  cli: Cli,
  options: StoreCommandOptions,
  use: (store: DurableStore) => Promise<Result>,
): Promise<Result> {
  const store = await openStore(cli, options, false)
  try {
    return await use(store)
  } finally {
    await store.close()
  }
}

/**
 * Opens the store that the options name.
 * @param mayCreate false refuses a file or a schema without a store
 */
export async function openStore(
  cli: Cli,
  options: StoreCommandOptions,
  mayCreate: boolean,
): Promise<DurableStore> {
  const address = addressOf(cli, options)
  const settings = { ...settingsOf(cli, options), create: mayCreate }
  if (/^postgres(?:ql)?:/.test(address)) {
    const { openPostgresStore } = await import('@modelport/durable/postgres')
    return openPostgresStore(address, {
      ...settings,
      ...(options.schema !== undefined && { schema: options.schema }),
      // Somebody waits in front of the terminal; a server waits longer.
      ...(!mayCreate && { reconnectMs: 5_000 }),
    })
  }
  const { openSqliteStore } = await import('@modelport/durable/sqlite')
  return openSqliteStore(address, settings)
}

/** True if the options name a store. */
export const hasStore = ({ store, storeEnv }: StoreCommandOptions): boolean =>
  store !== undefined || storeEnv !== undefined

function addressOf(cli: Cli, { store, storeEnv }: StoreCommandOptions): string {
  if (store !== undefined && storeEnv !== undefined)
    throw new UsageError('give --store or --store-env, not both')
  if (storeEnv !== undefined) return variable(cli, storeEnv, 'the file or URL of the store')
  if (!store) throw new UsageError('name the store with --store or --store-env')
  if (URL.canParse(store) && new URL(store).password !== '')
    throw new UsageError(
      "--store has a password, and others on this computer can read a process's arguments; set an environment variable to the URL and pass --store-env",
    )
  return store
}

function settingsOf(cli: Cli, { encryptionKeyEnv }: StoreCommandOptions): StoreOptions {
  if (encryptionKeyEnv === undefined) return {}
  return {
    encryptionKey: Buffer.from(variable(cli, encryptionKeyEnv, 'the key in base64'), 'base64'),
  }
}

function variable({ context }: Cli, name: string, what: string): string {
  const value = context.environment?.(name)
  if (!value) throw new UsageError(`the environment variable ${name} is not set; set it to ${what}`)
  return value
}
