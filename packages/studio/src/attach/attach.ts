import { basename } from 'node:path'
import process from 'node:process'
import { configError, createRedact, type Redact } from '@modelport/core'
import { findAddress } from './address.js'
import { Spool } from './spool.js'
import { Subscriptions } from './subscriptions.js'
import { Uplink } from './uplink.js'

/** What names a variable that holds a secret. */
const secretName = /key|token|secret|pass|credential/i

/** Shows this program in the studio from here on. */
export function attach(): void {
  const environment = process.env
  if (environment['MODELPORT_STUDIO'] === 'off') return
  let isWarned = false
  const warn = (text: string): void => {
    if (!isWarned) process.stderr.write(`modelport: ${text}\n`)
    isWarned = true
  }
  // Bad addresses are reported where the program starts.
  let address = findAddress(environment, 0, warn)
  let attempts = 0
  // Read once: to read a variable of the process takes longer than to write an event.
  const { MODELPORT_STUDIO_CONTENT: content = 'on' } = environment
  if (!['', 'on', 'off'].includes(content))
    throw configError('MODELPORT_STUDIO_CONTENT must be on or off')
  const spool = new Spool()
  const subscriptions = new Subscriptions({
    spool,
    withContent: content !== 'off',
    isTaken: (): boolean => uplink.isAccepted,
    notify: () => uplink.notify(),
  })
  const keys = secretsOf(environment)
  let redact = createRedact(keys)
  const toText = (lines: readonly string[]): string => {
    const newest = subscriptions.takeRedacts()
    if (newest) redact = createRedact([...keys, ...newest])
    return clean(lines, redact)
  }
  let isSaid = false
  const say = (text: string): void => {
    if (!isSaid) process.stderr.write(`modelport: ${text}\n`)
    isSaid = true
  }
  const uplink = new Uplink({
    find: () => (address = findAddress(environment, attempts++, warn)),
    isEmpty: () => spool.isEmpty,
    take: () => toText(spool.take()),
    hello: `${JSON.stringify({ t: 'hello', name: basename(process.argv[1] ?? 'node') })}\n`,
    starts: () => toText(subscriptions.starts()),
    accepted: ({ url }) => {
      attempts = 0
      say(`this program is shown at ${url.origin}`)
    },
    ...(environment['MODELPORT_STUDIO'] && {
      refused: ({ url }) =>
        say(
          `what listens at ${url.origin} does not know the token of MODELPORT_STUDIO; nothing was sent to it`,
        ),
    }),
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
const clean = (lines: readonly string[], redact: Redact): string =>
  lines
    .map((line) => {
      const redacted = redact(line)
      return redacted === line || isJson(redacted) ? `${redacted}\n` : ''
    })
    .join('')

function isJson(line: string): boolean {
  try {
    return JSON.parse(line) !== undefined
  } catch {
    return false
  }
}
