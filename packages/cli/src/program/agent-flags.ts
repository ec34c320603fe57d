import type { Command } from 'commander'
import { withCommonOptions } from '../context/start.js'

/** Adds the options that name a durable store. */
export const withStoreOptions = (command: Command): Command =>
  withCommonOptions(command)
    .option('--store <file>', 'SQLite file, or postgres: URL without a password')
    .option('--store-env <name>', 'environment variable that holds the file or URL')
    .option('--schema <name>', 'schema of the tables, for PostgreSQL (default: modelport)')
    .option(
      '--encryption-key-env <name>',
      'environment variable that holds the key of the store, 32 bytes in base64',
    )

/** Adds the options of commands that call an agent. */
export const withAgentCallOptions = (command: Command): Command =>
  withCommonOptions(command).option(
    '--token-env <name>',
    'environment variable that holds the bearer token',
  )
