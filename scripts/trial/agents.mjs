// An agent in a process of its own, called by another, killed in the middle of its tool, continued,
// settled and operated, as the pages say.
import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { docBlocks } from '../../test/support/doc-blocks.ts'
import { readText } from '../../test/support/repository.ts'
import { compare, installsOf, savePrograms } from './pages.mjs'
import { blockWith, follow } from './transcripts.mjs'
import { Mishap } from './visitor.mjs'

const guide = 'docs/guides/agent-that-survives.md'
const operators = 'docs/durable.md'
const blockOf = (name) => docBlocks(guide).find((block) => block.name === name)

/** The guide and the operator's page over one database. */
class Walk {
  #visitor
  #model
  #port
  #database

  constructor({ visitor, model, port, database }) {
    this.#visitor = visitor
    this.#model = model
    this.#port = port
    this.#database = database
  }

  /** A command of the pages for this database. */
  change = (command) =>
    this.#database ? command.replaceAll('--store agents.db', `--store ${this.#database}`) : command

  #start(command) {
    return this.#visitor.start(command)
  }

  /** Starts the server and the caller, and kills the server in the payment. */
  async killInPayment() {
    this.#model.script(blockOf('bank.mts').replies)
    const server = this.#start('node server.mts')
    await server.shows(/bank at/)
    const call = this.#start('node call.mts')
    const [, key] = await this.pays(server, call, 'first')
    await server.kill()
    return { server, call, key }
  }

  /** Waits for the payment. A caller that ends before it has something to say. */
  pays(server, call, time) {
    const early = call.ended.then(() => {
      throw new Mishap(
        'node call.mts',
        `${call.output}\n${server.output}`,
        `a call of the tool, for the ${time} time`,
      )
    })
    return Promise.race([server.shows(/pays invoice 17, key (\S+)/), early])
  }

  /** `idempotent: true` is there, or removed. */
  setIdempotent(isThere) {
    const file = join(this.#visitor.folder, 'bank.mts')
    const code = this.bank ?? (this.bank = readFileSync(file, 'utf8'))
    writeFileSync(file, isThere ? code : code.replace(/^.*idempotent: true.*\n/m, ''))
  }

  async continues() {
    const { server: first, call, key } = await this.killInPayment()
    const second = this.#start('node server.mts')
    const [, again] = await this.pays(second, call, 'second')
    if (again !== key) throw new Mishap('node server.mts', second.output, `the same key: ${key}`)
    if ((await call.ended) !== 0) throw new Mishap('node call.mts', call.output, 'exit code 0')
    await second.kill()
    compare('node call.mts', call.output, blockOf('call.mts').prints)
    const printed = (first.output + second.output).replaceAll(this.#port, '4000')
    compare('node server.mts', printed, blockWith(guide, 'bank at'))
  }

  async isSettled() {
    this.setIdempotent(false)
    const { call } = await this.killInPayment()
    const server = this.#start('node server.mts')
    await call.shows(/\(input-required\)/)
    const count = await follow(blockWith(guide, '$ modelport agent reconcile'), this.#visitor, this)
    await server.kill()
    return count
  }

  async isContinuedInPasses() {
    this.setIdempotent(true)
    const { call } = await this.killInPayment()
    await call.kill()
    const passes = blockWith(guide, '$ timeout')
    return process.platform === 'linux' ? follow(passes, this.#visitor, { pauseMs: 2300 }) : 0
  }

  async isOperated() {
    this.setIdempotent(false)
    const { call } = await this.killInPayment()
    await call.kill()
    await new Promise((resolve) => setTimeout(resolve, 2300))
    await this.#visitor.run('node pass.mts')
    await this.isRestored()
    return follow(blockWith(operators, '$ modelport agent resume'), this.#visitor, this)
  }

  /** Backs the store up and restores it, by the commands and the words of the table. */
  async isRestored() {
    const visitor = this.#visitor
    const commands = readText(operators).match(/(?<=`)(?:node -e|pg_dump|pg_restore) [^`]+/g) ?? []
    const at = (name) => join(visitor.folder, name)
    const list = async () => {
      const { stdout } = await visitor.run(
        this.change('modelport agent tasks --all --store agents.db'),
      )
      return this.#database ? stdout.replaceAll(this.#database, 'agents.db') : stdout
    }
    const before = await list()
    if (this.#database) {
      const restored = this.#database.replace(/\w+$/, 'restored')
      const [dump, restore] = commands.filter((command) => command.startsWith('pg_'))
      await visitor.run(`psql --quiet --command='CREATE DATABASE restored' ${this.#database}`)
      await visitor.run(dump.replace('URL', this.#database))
      await visitor.run(restore.replace('URL', restored))
      this.#database = restored
    } else {
      await visitor.run(commands.find((command) => command.startsWith('node')))
      mkdirSync(at('away'))
      for (const name of readdirSync(visitor.folder).filter((one) => one.startsWith('agents.db')))
        renameSync(at(name), join(at('away'), name))
      copyFileSync(at('copy.db'), at('agents.db'))
    }
    const after = await list()
    if (after !== before) throw new Mishap('the restored store', after, before)
  }
}

/**
 * A page's port and address are replaced by free ones: another program of this machine may have
 * them.
 */
export async function walkAnAgent({ visitor, model, address, port, database }) {
  // The command line is there: two installations into one folder at a time break each other.
  for (const command of installsOf(guide).filter((one) => !one.includes('--global')))
    await visitor.install(command)
  savePrograms(guide, visitor, (code) => {
    const here = code.replaceAll('http://127.0.0.1:8080/v1', address).replaceAll('4000', port)
    return database === undefined
      ? here
      : here
          .replaceAll('@modelport/durable/sqlite', '@modelport/durable/postgres')
          .replaceAll('openSqliteStore', 'openPostgresStore')
          .replaceAll('agents.db', database)
  })
  const walk = new Walk({ visitor, model, port, database })
  await walk.continues()
  const commands =
    (await walk.isSettled()) + (await walk.isContinuedInPasses()) + (await walk.isOperated())
  return `killed and continued with the same key, settled, continued in passes, backed up and restored; ${commands} commands print what the pages say`
}
