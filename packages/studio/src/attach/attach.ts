import { basename } from 'node:path'
import process from 'node:process'
import { createRedact } from '@modelport/core'
import { findAddress, type StudioAddress } from './address.js'
import { Spool } from './spool.js'
import { Subscriptions } from './subscriptions.js'
import { Uplink } from './uplink.js'

/** What names a variable that holds a secret. */
const secretName = /key|token|secret|pass|credential/i

/** Shows this program in the studio from here on. */
export function attach(): void {
  const environment = process.env
  const find = (): StudioAddress | undefined => findAddress(environment)
  if (environment['MODELPORT_STUDIO'] === 'off') return
  // Bad addresses are reported where the program starts.
  let address = find()
  const withContent = (): boolean => environment['MODELPORT_STUDIO_CONTENT'] !== 'off'
  const spool = new Spool()
  const subscriptions = new Subscriptions({ spool, withContent, notify: () => uplink.notify() })
  const redactKeys = createRedact(secretsOf(environment))
  const toText = (lines: readonly string[]): string => clean(lines, [redactKeys, ...subscriptions.redacts])
  let isAnnounced = false
  const uplink = new Uplink({
    find: () => (address = find()),
    isEmpty: () => spool.isEmpty,
    take: () => toText(spool.take()),
    hello: `${JSON.stringify({ t: 'hello', name: basename(process.argv[1] ?? 'node') })}\n`,
    starts: () => toText(subscriptions.starts()),
    accepted: ({ url }) => {
      if (!isAnnounced) process.stderr.write(`modelport: this program is shown at ${url.origin}\n`)
      isAnnounced = true
    },
  })
  // `apiHosts` of @modelport/factory lists it.
  Object.assign(globalThis, { [Symbol.for('modelport.studio')]: () => address?.url.host })
  process.once('beforeExit', () => void uplink.end())
  process.on('exit', () => uplink.sendNow())
}

const secretsOf = (environment: NodeJS.ProcessEnv): string[] =>
  Object.entries(environment).flatMap(([name, value = '']) =>
    secretName.test(name) && value.length > 7 ? [value] : [],
  )

/** The lines as one text without secrets. A line that is not JSON without them is left out. */
function clean(lines: readonly string[], redacts: readonly ((text: string) => string)[]): string {
  const text = lines.map((line) => `${line}\n`).join('')
  const redacted = redacts.reduce((one, redact) => redact(one), text)
  return redacted === text ? text : redacted.replace(/^.*\n/gm, (line) => (isJson(line) ? line : ''))
}

function isJson(line: string): boolean {
  try {
    return JSON.parse(line) !== undefined
  } catch {
    return false
  }
}
