// A chat is saved while the process dies, the disk is full, or somebody else saves it too: what is
// there is whole, and nothing is lost.
import { spawn } from 'node:child_process'
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { ChatMessage } from '@modelport/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fromSealed, toSealed } from '../../packages/cli/src/session/seal.js'
import { type Session, SessionStore } from '../../packages/cli/src/session/session-store.js'
import { bundlePrograms } from '../support/bundle.js'
import { atSize, reportFault } from '../support/faults.js'
import { node } from '../support/platform.js'
import { findProgram } from '../support/program.js'
import type { SavingOrder, SavingOutcome } from '../support/saving-program.js'
import { randomBelow, seed } from '../support/seed.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { watchDisk } from '../support/watch-disk.js'

const id = '20260101-000000-aaaaaaaa'
const said = (content: string): ChatMessage => ({ role: 'user', content })
const chat = (...texts: readonly string[]): Session => ({
  id,
  model: 'm',
  createdAt: 'then',
  updatedAt: 'now',
  messages: texts.map(said),
})
const textsOf = async (folder: string, of = id): Promise<unknown[]> =>
  (await new SessionStore(folder).load(of)).messages.map(({ content }) => content)
const drafts = (folder: string): string[] =>
  readdirSync(folder).filter((name) => name.endsWith('.part'))
/** What was left behind, as it is two days later. */
const age = (folder: string): void => {
  const then = Date.now() / 1000 - 2 * 24 * 60 * 60
  for (const name of drafts(folder)) utimesSync(join(folder, name), then, then)
}
const never = new Promise<never>(() => undefined)

/** Saves `count` times, each time one message more; says how many of them were done. */
async function saveTimes(
  folder: string,
  count: number,
  done: (saved: number) => void,
): Promise<void> {
  const store = new SessionStore(folder)
  for (let saved = 1; saved <= count; saved++) {
    await store.save(chat(...Array.from({ length: saved }, (_, index) => `said ${index}`)))
    done(saved)
  }
}

describe.runIf(node)('a process that ends in the middle', () => {
  test('before any step on the disk: the chat is that of the last save or of the one before', async () => {
    let steps = 0
    const forget = watchDisk(() => {
      steps++
    })
    await saveTimes(temporaryFolder('whole'), 2, () => undefined).finally(forget)
    expect(steps).toBeGreaterThan(24)
    for (let end = 0; end < steps; end++) {
      const folder = temporaryFolder('dead')
      let saved = 0
      await new Promise<void>((resolve) => {
        const stop = watchDisk((step) => {
          if (step < end) return undefined
          stop('died')
          resolve()
          return never
        })
        void saveTimes(folder, 2, (count) => (saved = count))
      })
      const store = new SessionStore(folder)
      const ids = await store.ids()
      expect(drafts(folder).length).toBeLessThanOrEqual(1)
      if (saved > 0) expect(ids).toEqual([id])
      const found = ids.length ? [...(await store.load(id)).messages] : []
      expect([saved, saved + 1]).toContain(found.length)
      // The chat keeps its name, and the files of the dead process are removed in time.
      age(folder)
      expect(await store.save({ ...chat(), messages: [...found, said('more')] })).toBe(id)
      expect(readdirSync(folder)).toHaveLength(1)
      expect(await textsOf(folder)).toEqual([...found.map(({ content }) => content), 'more'])
    }
    reportFault('T7', { 'steps to die at': steps })
  })

  test('nothing is named before it is on the disk, and then the name is too', async () => {
    const steps: string[] = []
    const forget = watchDisk((_, name) => {
      steps.push(name)
    })
    await saveTimes(temporaryFolder('synced'), 1, () => undefined).finally(forget)
    expect(
      steps.slice(steps.indexOf('open')).filter((name) => name !== 'stat' && name !== 'readdir'),
    ).toEqual(['open', 'write', 'write', 'sync', 'close', 'link', 'open', 'sync', 'close', 'rm'])
  })

  test('what is left of a chat goes with it, and what another process writes just now stays', async () => {
    const folder = temporaryFolder('left')
    const store = new SessionStore(folder)
    await store.save(chat('one'))
    const [own, young, old] = [
      `${id}.2.json`,
      '20260101-000000-bbbbbbbb.1.json',
      '20260101-000000-cccccccc.1.json',
    ].map((name) => join(folder, `${name}.${crypto.randomUUID()}.modelport.part`))
    for (const file of [own, young, old, join(folder, 'mine.part')])
      writeFileSync(file ?? '', 'a half')
    utimesSync(old ?? '', 0, 0)
    utimesSync(join(folder, 'mine.part'), 0, 0)
    expect(await store.ids()).toEqual([id])
    await store.save(chat('one', 'two'))
    expect(
      readdirSync(folder)
        .map((name) => join(folder, name))
        .sort(),
    ).toEqual([join(folder, `${id}.2.json`), own, young, join(folder, 'mine.part')].sort())
    await store.delete(id)
    expect(
      readdirSync(folder)
        .map((name) => join(folder, name))
        .sort(),
    ).toEqual([young, join(folder, 'mine.part')].sort())
  })
})

describe('a file that is not what was saved', () => {
  test('a file that is cut anywhere, or has a bit turned round, is not a chat', () => {
    const json = JSON.stringify({ ...chat('Łódź', 'two'), version: 1 }, undefined, 1)
    const whole = Buffer.from(toSealed(json))
    expect(fromSealed(String(whole))).toBe(json)
    for (let end = 0; end < whole.length; end++)
      expect(fromSealed(String(whole.subarray(0, end)))).toBeUndefined()
    for (let bit = 0; bit < whole.length * 8; bit++) {
      const changed = Buffer.from(whole)
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      expect(fromSealed(String(changed)), `bit ${bit}`).toBeUndefined()
    }
    reportFault('T7', { 'damaged files': whole.length * 9, accepted: 0 })
  })

  test('a message less, and still JSON: no chat; others are still listed', async () => {
    const folder = temporaryFolder('damaged')
    const store = new SessionStore(folder)
    await store.save(chat('one', 'two'))
    const file = join(folder, `${id}.1.json`)
    const {
      messages: [, second],
      ...rest
    } = JSON.parse(readFileSync(file, 'utf8')) as { messages: unknown[] }
    writeFileSync(file, `${JSON.stringify({ ...rest, messages: [second] }, undefined, 1)}\n`)
    await expect(store.load(id)).rejects.toMatchObject({
      code: 'config',
      message: `${file}: not a saved chat, or changed or damaged after it was saved`,
    })
  })
})

describe('two that save the same chat', () => {
  /**
   * One saves, and at these of its steps the other does, whole. Says how many steps the one took.
   * `killed` leaves two saves, of which the other knows the first.
   */
  async function cross(at: readonly number[], killed = false): Promise<number> {
    const folder = temporaryFolder('two')
    const one = new SessionStore(folder)
    const two = new SessionStore(folder)
    await one.save(chat('start'))
    await two.load(id)
    if (killed) copyFileSync(join(folder, `${id}.1.json`), join(folder, `${id}.2.json`))
    await one.load(id)
    const others = ['start']
    let other = id
    let steps = 0
    let busy = false
    const forget = watchDisk(async () => {
      if (busy) return
      busy = true
      for (const _ of at.filter((step) => step === steps)) {
        others.push('other')
        other = await two.save({ ...chat(...others), id: other })
      }
      steps++
      busy = false
    })
    const mine = await one.save(chat('start', 'mine')).finally(forget)
    expect(await textsOf(folder, mine)).toEqual(['start', 'mine'])
    if (at.length) expect(await textsOf(folder, other)).toEqual(others)
    expect(others).toHaveLength(1 + at.length)
    // As many chats as there are to tell apart, and nothing else.
    expect(readdirSync(folder)).toHaveLength(at.length ? 2 : 1)
    return steps
  }

  test.runIf(node)(
    'one at any step of the other, once or twice: both have all that was said',
    async () => {
      const steps = await cross([])
      expect(steps).toBeGreaterThan(12)
      const each = Array.from({ length: steps }, (_, step) => step)
      const below = randomBelow(seed)
      const twice = each
        .flatMap((first) => each.slice(first).map((second) => [first, second]))
        .filter(() => below(10) < atSize(1, 10))
      for (const step of each) await cross([step])
      // There is one more to take away.
      for (const step of [...each, steps]) await cross([step], true)
      for (const pair of twice) await cross(pair)
      reportFault('T7', { 'ways two saves cross': 2 * steps + 1 + twice.length })
    },
  )

  test('a chat that was deleted meanwhile, or has a folder in its place, is saved under another id', async () => {
    const folder = temporaryFolder('gone')
    const store = new SessionStore(folder)
    await store.save(chat('one'))
    mkdirSync(join(folder, `${id}.2.json`))
    const other = await store.save(chat('one', 'two'))
    expect(other).not.toBe(id)
    expect([await textsOf(folder), await textsOf(folder, other)]).toEqual([['one'], ['one', 'two']])
    await new SessionStore(folder).delete(other)
    const last = await store.save({ ...chat('one', 'two', 'three'), id: other })
    expect(last).not.toBe(other)
    expect(await textsOf(folder, last)).toEqual(['one', 'two', 'three'])
  })
})

describe.runIf(node && process.platform !== 'win32')('real processes', () => {
  const programs = mkdtempSync(join(tmpdir(), 'modelport-saving-'))
  let program = ''
  beforeAll(async () => {
    program = (
      await bundlePrograms(programs, {
        saving: join(import.meta.dirname, '../support/saving-program.ts'),
      })
    ).saving
  })
  afterAll(() => {
    rmSync(programs, { recursive: true })
  })

  type Line = Partial<SavingOutcome> & { readonly saved?: number }
  /**
   * Starts it, by way of a shell where `script` says so: there `"$@"` is the program and `$0` the
   * folder. `onLine` may kill it.
   */
  async function run(
    order: SavingOrder,
    onLine: (line: Line, child: ReturnType<typeof spawn>) => void = () => undefined,
    script?: readonly string[],
  ): Promise<readonly Line[]> {
    const own = [process.execPath, program, JSON.stringify(order)]
    const [command = '', ...args] = script ? [...script, order.folder, ...own] : own
    const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] })
    child.stdin.on('error', () => undefined)
    const lines: Line[] = []
    for await (const text of createInterface({ input: child.stdout })) {
      const line = JSON.parse(text) as Line
      lines.push(line)
      onLine(line, child)
    }
    return lines
  }

  test('every chat loads after kill -9, again and again, and has all but the save that was cut off', async () => {
    const folder = temporaryFolder('killed')
    const below = randomBelow(seed)
    const kills = atSize(8, 500)
    let kept = 0
    for (let kill = 0; kill < kills; kill++) {
      const lines = below(2)
        ? await run({ folder, saves: 1000, dieAt: below(60) })
        : await run({ folder, saves: 1000 }, ({ saved = 0 }, child) => {
            if (saved > kept + (kill % 4)) child.kill('SIGKILL')
          })
      const saved = lines.at(-1)?.saved ?? kept
      const store = new SessionStore(folder)
      const ids = await store.ids()
      const { messages } = ids[0] === undefined ? chat() : await store.load(ids[0])
      // One that is killed from outside may have saved once more before it said so.
      expect([saved, saved + 1]).toContain(messages.length)
      expect(messages.map(({ content }) => Number(/\d+/.exec(content as string)?.[0]))).toEqual(
        messages.map((_, index) => index),
      )
      expect(ids.length).toBeLessThanOrEqual(1)
      kept = messages.length
    }
    age(folder)
    await run({ folder, saves: 1 })
    expect(readdirSync(folder)).toHaveLength(1)
    reportFault('T7', { 'processes killed': kills, 'chats lost': 0 })
  }, 900_000)

  test('two that continue the same chat: each has all it said, one of them under another id', async () => {
    const folder = temporaryFolder('both')
    await new SessionStore(folder).save(chat('start'))
    const waiting: (() => void)[] = []
    const both = await Promise.all(
      ['one', 'two'].map((speaker) =>
        run({ folder, id, saves: 20, speaker, waits: true }, (line, child) => {
          if (!('ready' in line)) return
          waiting.push(() => child.stdin?.write('go\n'))
          if (waiting.length === 2) for (const go of waiting) go()
        }),
      ),
    )
    const ids = both.map((lines) => lines.at(-1)?.id ?? '')
    expect(ids.filter((one) => one === id)).toHaveLength(1)
    for (const [index, speaker] of ['one', 'two'].entries()) {
      const own = Array.from({ length: 20 }, (_, count) =>
        `${speaker} ${count + 1} `.padEnd(20, 'x'),
      )
      expect(await textsOf(folder, ids[index])).toEqual(['start', ...own])
    }
    expect(readdirSync(folder)).toHaveLength(2)
    reportFault('T7', { 'saves by two processes at once': 40 })
  })

  /** What came of it: told as what it is, the chat as it was, no draft left. */
  const failed = (lines: readonly Line[], code: string, again: boolean): void => {
    const saved = lines.findLast((line) => line.saved !== undefined)?.saved ?? 0
    expect(lines.at(-1)).toMatchObject({
      failure: { code, path: expect.stringMatching(/\.json$/) as string },
      loaded: saved,
      drafts: 0,
      ...(again && { again: saved + 1 }),
    })
    reportFault('T7', { 'disks that take nothing': 1 })
  }

  test('a chat stays whole when files may not become larger', async () => {
    failed(
      await run({ folder: temporaryFolder('large'), saves: 1000, length: 4000 }, undefined, [
        'sh',
        '-c',
        'ulimit -f 64; exec "$@"',
      ]),
      'EFBIG',
      false,
    )
  })

  test('a chat stays whole without the right to its folder, and is saved once it is back', async () => {
    failed(
      await run({ folder: temporaryFolder('rights'), saves: 2, without: 'rights' }),
      'EACCES',
      true,
    )
  })

  const mount = findProgram(
    'unshare',
    ['-rm', 'mount', '-t', 'tmpfs', 'tmpfs', tmpdir()],
    "-rm mount: gives no disk of one's own here",
  )
  const onDisk = (script: string): string[] => [
    'unshare',
    '-rm',
    'sh',
    '-ec',
    `mount -t tmpfs -o size=96k tmpfs "$0"; ${script}`,
  ]
  test.skipIf(mount === undefined)(
    'a chat stays whole on a full disk, and is saved once there is space',
    async () => {
      failed(
        await run(
          { folder: temporaryFolder('full'), saves: 1000, length: 4000 },
          undefined,
          onDisk('head -c 32768 /dev/zero > "$0/ballast"; exec "$@"'),
        ),
        'ENOSPC',
        true,
      )
    },
  )

  test.skipIf(mount === undefined)(
    'a chat stays whole on a disk that became read-only',
    async () => {
      const folder = temporaryFolder('read-only')
      await new SessionStore(folder).save(chat('start'))
      const lines = await run(
        { folder, saves: 1 },
        undefined,
        // Only this mount: whoever is not root may do that, too.
        onDisk('"$@"; mount -o remount,bind,ro "$0"; exec "$@"'),
      )
      failed(lines, 'EROFS', false)
    },
  )
})
